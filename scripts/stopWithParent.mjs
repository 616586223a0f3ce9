const PERIOD_MS = 500;

/**
 * npm runs scripts through a shell, and a shell that npm ends on SIGTERM does not pass the signal on. Whoever stops npm
 * means this process too.
 */
export function stopWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PERIOD_MS);
  watch.unref();
}
