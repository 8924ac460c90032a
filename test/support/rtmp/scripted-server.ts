import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { newAmfObject, type AmfObject, type AmfValue } from 'sluice/sdk/media'
import { Connection } from '../../../plugins/rtmp/connection.ts'
import { connected, onStatus, refused, result } from '../../../plugins/rtmp/replies.ts'
import { ServerHandshake } from '../../../plugins/rtmp/wire/handshake/server-handshake.ts'
import type { Command } from '../../../plugins/rtmp/wire/message/command.ts'
import type { RawMessage } from '../../../plugins/rtmp/wire/message/raw-message.ts'
import { keep } from '../../peers/lifetime.ts'

/** A connection of a scripted server's. */
export type ScriptedPeer = { readonly connection: Connection; readonly socket: Socket }

/** Answers a command itself, or leaves it to what a plain server does, by `undefined`. */
export type Script = (command: Command, peer: ScriptedPeer) => 'done' | undefined

export type ScriptedServerInit = {
  readonly script?: Script
  /** Takes over a connection before anything is read. */
  readonly takeOver?: (socket: Socket) => 'done' | undefined
  readonly onMedia?: (raw: RawMessage) => void
  /** PEM texts, for RTMPS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

export const STREAM_ID = 1

/** An RTMP server that agrees to everything, or does what a script says. It ends with the test. */
export class ScriptedRtmpServer {
  /** All commands that came, by all connections. */
  readonly commands: Command[] = []
  readonly peers = new Set<ScriptedPeer>()
  readonly #init: ScriptedServerInit
  #port = 0

  private constructor(init: ScriptedServerInit) {
    this.#init = init
  }

  static async start(init: ScriptedServerInit = {}): Promise<ScriptedRtmpServer> {
    const scripted = new ScriptedRtmpServer(init)
    const take = (socket: Socket) => scripted.#take(socket)
    const server = (init.tls ? createTlsServer(init.tls, take) : createServer(take)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    scripted.#port = (server.address() as AddressInfo).port
    keep({
      close() {
        server.close()
        for (const { socket } of scripted.peers) socket.destroy()
      },
    })
    return scripted
  }

  /** @param user with its `@` */
  url(user = '', target = 'live/x', scheme = 'rtmp'): string {
    return `${scheme}://${user}127.0.0.1:${this.#port}/${target}`
  }

  /** The names of the commands that came. */
  get names(): string[] {
    return this.commands.map(({ name }) => name)
  }

  /** A property of each `connect` that came. */
  connects(property: string): AmfValue[] {
    return this.commands.flatMap(({ name, commandObject }) =>
      name === 'connect' ? [(commandObject as AmfObject)[property]] : [],
    )
  }

  #take(socket: Socket): void {
    const peer: { connection?: Connection; socket: Socket } = { socket }
    this.peers.add(peer as ScriptedPeer)
    socket.on('error', () => {}).on('close', () => this.peers.delete(peer as ScriptedPeer))
    if (this.#init.takeOver?.(socket) === 'done') return
    peer.connection = new Connection(
      socket,
      {
        message: (message) => {
          if (message.kind === 'command') this.#answer(message, peer as ScriptedPeer)
          return undefined
        },
        media: (raw) => this.#init.onMedia?.(raw),
        handshaken() {},
        closed() {},
      },
      new ServerHandshake({ random: randomFillSync }),
    )
  }

  #answer(command: Command, peer: ScriptedPeer): void {
    this.commands.push(command)
    if (this.#init.script?.(command, peer) === 'done') return
    const { connection } = peer
    switch (command.name) {
      case 'connect':
        return connection.send(connected(command, 0))
      case 'createStream':
        return connection.send(result(command, STREAM_ID))
      case 'publish':
        connection.expectMedia()
        return connection.send(onStatus('status', 'NetStream.Publish.Start', '', false), STREAM_ID)
      case 'play':
        return connection.send(onStatus('status', 'NetStream.Play.Start', '', false), STREAM_ID)
      default:
        return undefined
    }
  }
}

/** `_error` of a call, which leads elsewhere if an address is given. */
export function refusal(command: Command, description: string, redirect?: string): Command {
  const answer = refused(command, description)
  if (redirect === undefined) return answer
  const information = answer.args[0] as AmfObject
  return { ...answer, args: [{ ...information, ex: Object.assign(newAmfObject(), { code: 302, redirect }) }] }
}
