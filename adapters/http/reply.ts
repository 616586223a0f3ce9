import type { ServerResponse } from 'node:http';
import type { HttpAnswer } from '../../core/rpc/httpAnswer.ts';

const JSON_TYPE = 'application/json';

/** Status 200 with a JSON body; an empty body has no content type. */
export function replyJson(response: ServerResponse, body: string): void {
  if (body === '') response.writeHead(200, { 'content-length': 0 });
  else response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** One line of plain text, like Go's http.Error. */
export const textAnswer = (status: number, text: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: `${text}\n`,
});

export const replyText = (response: ServerResponse, status: number, text: string): void =>
  replyAnswer(response, textAnswer(status, text));

export function replyAnswer(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** How long a client may continue to send unwanted input, so that it can read the answer. */
const LINGER_MS = 1_000;

/**
 * Answers before the request is complete, and closes. Closing with unread input would reset the connection, and the
 * client would lose the answer; so further input is read and discarded for a moment.
 */
export function replyEarly(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  const request = response.req;
  response.writeHead(status, {
    ...headers,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  });
  response.write(body);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end);
  request.once('close', end);
  request.resume();
}
