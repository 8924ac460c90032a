import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { SluiceError } from '../../errors/sluice-error.ts'
import { StreamRedirect } from '../../errors/stream-errors.ts'
import type { PluginContext } from '../../plugin/context.ts'
import { CLIENT_LEFT } from '../../stream/close-reason.ts'
import { socketSink, type Sink } from '../../stream/sink.ts'
import type { Subscriber } from '../../stream/subscriber.ts'
import type { RoutedRequest } from '../request.ts'
import type { SocketOutput } from './live-output.ts'
import { bind, subscribe } from './live-session.ts'
import { ViewerControl } from './viewer-control.ts'

/** The longest message of a viewer, which sends control frames alone (see `control-frame.ts`); a longer one ends the connection. */
const MAX_CLIENT_MESSAGE_BYTES = 1024
/** Pieces of a message that is cut up: a flood of them, each of nothing, would be no message at all. */
const MAX_FRAGMENTS = 16
/** Messages and pings that a viewer may send in such a time; players send one every few seconds, if any. */
const MAX_CLIENT_MESSAGES = 300
const CLIENT_MESSAGES_WINDOW_MS = 10_000
/** Pings go unanswered while more than this is queued: a peer may answer only the latest of them (RFC 6455 5.5.3). */
const MAX_QUEUE_FOR_PONG_BYTES = 64 * 1024
/** Status code 1001, "going away" (RFC 6455 7.4.1). */
const GOING_AWAY = 1001

/** Plays over WebSocket. The gates answer before the upgrade, so a denied client sees 401. */
export class WebSocketOutput {
  readonly #ctx: PluginContext<unknown>
  readonly #output: SocketOutput
  readonly #frame: Sink['frame']
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_CLIENT_MESSAGE_BYTES,
    maxFragments: MAX_FRAGMENTS,
    // A connection is read by one message in a turn of the event loop, so that none can hold up the others.
    allowSynchronousEvents: false,
  })

  /** @param frame of the sinks */
  constructor(ctx: PluginContext<unknown>, output: SocketOutput, frame?: Sink['frame']) {
    this.#server.on('headers', (headers, { id }: RoutedRequest) => {
      if (id !== undefined) headers.push(`X-Request-Id: ${id}`)
    })
    this.#ctx = ctx
    this.#output = output
    this.#frame = frame
  }

  async upgrade(request: RoutedRequest, socket: Socket, head: Buffer): Promise<void> {
    const onError = () => socket.destroy()
    socket.on('error', onError)
    try {
      const { subscriber } = await subscribe(this.#ctx, this.#output, request)
      socket.off('error', onError)
      if (socket.destroyed) return subscriber.close(CLIENT_LEFT)
      closeWithSocket(subscriber, socket)
      this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#play(webSocket, request, subscriber))
    } catch (error) {
      refuse(this.#ctx, socket, error)
    }
  }

  // A function of its own, for what its listeners see they keep: not the request.
  #play(webSocket: WebSocket, request: RoutedRequest, subscriber: Subscriber): void {
    const { socket } = request
    socket.setTimeout(0)
    socket.setNoDelay(true)
    webSocket.on('error', (error) => subscriber.close(`malformed: ${error.message}`))
    const flood = new MessageFlood(() => {
      subscriber.close('too many messages')
      socket.destroy()
    })
    let control: ViewerControl | undefined
    webSocket.on('message', (bytes: Buffer, isBinary) => {
      flood.count()
      if (!isBinary || subscriber.control === undefined) return
      control ??= new ViewerControl(subscriber, this.#ctx.log.child({ session: subscriber.id }))
      control.receive(bytes)
    })
    webSocket.on('pong', flood.count)
    webSocket.on('ping', (payload: Buffer) => {
      flood.count()
      if (!socket.destroyed && socket.writableLength <= MAX_QUEUE_FOR_PONG_BYTES) webSocket.pong(payload)
    })
    webSocket.on('close', () => subscriber.close(CLIENT_LEFT))
    bind(this.#ctx, request, subscriber, () => webSocket.close(GOING_AWAY))
    this.#output.play(subscriber, socketSink(socket, this.#frame))
  }
}

/** Counts what a viewer sends, and ends one that sends without end. */
class MessageFlood {
  readonly #end: () => void
  #sinceMs = 0
  #count = 0

  constructor(end: () => void) {
    this.#end = end
  }

  readonly count = (): void => {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs > CLIENT_MESSAGES_WINDOW_MS) {
      this.#sinceMs = nowMs
      this.#count = 0
    }
    if (++this.#count === MAX_CLIENT_MESSAGES + 1) this.#end()
  }
}

/** ws answers a malformed handshake itself, and then never calls back. */
function closeWithSocket(subscriber: Subscriber, socket: Socket): void {
  socket.once('close', () => subscriber.close(CLIENT_LEFT))
}

function refuse(ctx: PluginContext<unknown>, socket: Socket, error: unknown): void {
  const known = error instanceof SluiceError
  if (!known) ctx.log.error({ err: error }, 'the WebSocket request failed')
  const status = known ? error.statusCode : 500
  const location = error instanceof StreamRedirect ? `Location: ${error.url}\r\n` : ''
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${location}Connection: close\r\nContent-Length: 0\r\n\r\n`,
    () => {
      // A socket without a reader does not notice its end.
      socket.destroy()
    },
  )
}
