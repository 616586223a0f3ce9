const PERIOD_MS = 500;

/**
 * Ends this process when npm ends. npm runs scripts through a shell, and a shell that npm ends on SIGTERM does not pass
 * the signal on.
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
