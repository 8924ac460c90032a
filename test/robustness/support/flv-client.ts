import { request } from 'node:http'
import type { Socket } from 'node:net'
import { FlvReader, type FlvTag } from 'sluice/sdk/media'
import { WebSocket } from 'ws'

type FlvClient = { readonly closed: Promise<void>; close(): void }

type FlvClientOptions = {
  readonly port: number
  /** `app/name`, with or without query. */
  readonly target: string
  readonly onTag: (tag: FlvTag) => void
}

/** Plays over HTTP; resolves with the answer's headers. */
export async function playHttpFlv({ port, target, onTag }: FlvClientOptions): Promise<FlvClient> {
  const answered = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const asked = request({ port, host: '127.0.0.1', path: `/flv/${target}`, agent: false })
  let socket: Socket | undefined
  asked.on('error', answered.reject)
  asked.on('response', (response) => {
    const reader = new FlvReader()
    ;({ socket } = response)
    response.on('data', (bytes: Buffer) => reader.push(bytes).forEach(onTag))
    response.on('error', () => {})
    response.once('close', () => closed.resolve())
    if (response.statusCode === 200) answered.resolve()
    else answered.reject(new Error(`status ${response.statusCode}`))
  })
  asked.end()
  await answered.promise
  return { closed: closed.promise, close: () => socket?.destroy() }
}

/** Plays over a WebSocket; resolves when it is open. */
export async function playWsFlv({ port, target, onTag }: FlvClientOptions): Promise<FlvClient> {
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const socket = new WebSocket(`ws://127.0.0.1:${port}/flv/${target}`, { perMessageDeflate: false })
  const reader = new FlvReader()
  socket.on('message', (bytes: Buffer) => reader.push(bytes).forEach(onTag))
  socket.once('open', () => opened.resolve())
  socket.once('close', () => closed.resolve())
  socket.on('error', opened.reject)
  await opened.promise
  return { closed: closed.promise, close: () => socket.terminate() }
}
