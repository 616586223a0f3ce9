/**
 * The process cannot continue because of its environment: a disk, a port, a file of the operator. The message is one
 * line that says what failed, on what, and why. The command prints it and exits with a non-zero code.
 */
export class OperatingError extends Error {
  override readonly name = 'OperatingError';
}
