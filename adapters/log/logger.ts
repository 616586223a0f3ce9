/** One line per event, for people (`plain`) or machines (`json`). */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFormat = 'plain' | 'json';
export type LogFields = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

export interface Logger {
  debug(text: string, fields?: LogFields): void;
  info(text: string, fields?: LogFields): void;
  warn(text: string, fields?: LogFields): void;
  error(text: string, fields?: LogFields): void;
}

export interface LoggerOptions {
  /** Lowest level that is logged; `none` logs nothing. */
  readonly level: LogLevel | 'none';
  readonly format: LogFormat;
  /** Receives each line without its end. Default: stdout, and stderr for warnings and errors. */
  readonly write?: (level: LogLevel, line: string) => void;
  readonly clock?: () => Date;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

const writeToProcess = (level: LogLevel, line: string): void => {
  const stream = level === 'warn' || level === 'error' ? process.stderr : process.stdout;
  stream.write(`${line}\n`);
};

export function createLogger(options: LoggerOptions): Logger {
  const { write = writeToProcess, clock = () => new Date() } = options;
  const least = options.level === 'none' ? LEVELS.length : LEVELS.indexOf(options.level);
  const line = options.format === 'json' ? jsonLine : plainLine;
  const at = (level: LogLevel) =>
    LEVELS.indexOf(level) < least
      ? () => {}
      : (text: string, fields: LogFields = {}) => write(level, line(clock(), level, text, fields));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function jsonLine(time: Date, level: LogLevel, text: string, fields: LogFields): string {
  return JSON.stringify({ time: time.toISOString(), level, text, ...fields }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

function plainLine(time: Date, level: LogLevel, text: string, fields: LogFields): string {
  let out = `${time.toISOString()} ${level.padEnd(5)} ${oneLine(text)}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) out += ` ${name}=${quoted(String(value))}`;
  }
  return out;
}

/** Escapes control characters: text from outside must not forge lines or control a terminal. */
export const oneLine = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);

const quoted = (text: string): string => (/^[\w.:/@+-]+$/.test(text) ? text : oneLine(JSON.stringify(text)));
