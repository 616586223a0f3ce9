export interface LogError {
  readonly code: 'log';
  readonly message: string;
}
