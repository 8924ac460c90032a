import type { Socket } from 'node:net'
import { FLV_TAG_TYPE } from 'sluice/sdk/media'
import { RtmpClient } from '../../../plugins/rtmp/client/rtmp-client.ts'
import { pictureOf } from '../media/tape.ts'
import type { Player, PlayerEvents, Target } from './player.ts'

type RtmpLoadInit = Pick<Target, 'port' | 'path'> & Partial<Pick<PlayerEvents, 'picture'>> & { readonly socket: Socket }

/** An RTMP client for load: its handshake is not signed, so that a server's time is not spent on signatures. */
export function createRtmpClient({ port, path, socket, picture }: RtmpLoadInit): RtmpClient {
  return new RtmpClient({
    url: `rtmp://127.0.0.1:${port}/${path}`,
    socket,
    signedHandshake: false,
    onMedia: ({ typeId, payload }) => {
      if (typeId === FLV_TAG_TYPE.video) picture?.(pictureOf(payload))
    },
  })
}

/** Plays by RTMP. */
export class RtmpPlayer implements Player {
  readonly #target: Target
  readonly #events: PlayerEvents
  readonly #socket: () => Socket
  #client: RtmpClient | undefined

  constructor(target: Target, events: PlayerEvents, socket: () => Socket) {
    this.#target = target
    this.#events = events
    this.#socket = socket
  }

  start(): void {
    const client = createRtmpClient({ ...this.#target, ...this.#events, socket: this.#socket() })
    this.#client = client
    client
      .connect()
      .then(() => client.play())
      .catch((error: unknown) => this.#events.failed(String(error)))
  }

  receive(bytes: Buffer): void {
    this.#socket().emit('data', bytes)
  }

  count(sizeBytes: number): void {
    this.#client?.countReceived(sizeBytes)
  }
}
