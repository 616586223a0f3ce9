/**
 * The outside world does not let the process go on: a disk, a port, a file of the operator. The message is one line
 * that says what could not be done, to what, and why; the command prints it and exits non-zero.
 */
export class OperatingError extends Error {
  override readonly name = 'OperatingError';
}
