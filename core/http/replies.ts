import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ERROR_HEADERS, failure } from 'sluice/sdk/host'

/** Answers with an error before a handler has seen the request. */
export function answerWith(response: ServerResponse, statusCode: number, message: string): void {
  const headers = { ...ERROR_HEADERS, 'content-type': 'application/json; charset=utf-8' }
  response.writeHead(statusCode, headers).end(JSON.stringify(failure(statusCode, message)))
}

/**
 * Answers with an error on a socket that has no response object, and closes it.
 * @param id the id of the request, where it could be read
 */
export function closeWith(socket: Duplex, statusCode: number, message: string, id?: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(failure(statusCode, message))
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(id === undefined ? [] : [`X-Request-Id: ${id}`]),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
