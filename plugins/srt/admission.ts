import {
  checkStreamPath,
  sessionClient,
  type Publisher,
  type SessionInit,
  type Subscriber,
  type UdpPeer,
} from 'sluice/sdk'
import { checkTracks } from './from-stream.ts'
import { passphraseOf } from './passphrases.ts'
import type { SrtContext } from './plugin-context.ts'
import { Refusal } from './reject.ts'
import { addressOf, parseStreamId, type StreamRequest } from './stream-id.ts'
import { acceptKeys, type ConnectionKeys } from './wire/crypto/connection-keys.ts'
import type { ConnectionRequest } from './wire/handshake/connection-request.ts'
import { REJECT_REASON } from './wire/handshake/reject-reason.ts'

/** An admitted caller, with its publisher or subscriber. */
export type Admitted = { readonly keys: ConnectionKeys | undefined } & (
  | { readonly action: 'publish'; readonly member: Publisher }
  | { readonly action: 'play'; readonly member: Subscriber }
)

/** The request of a caller, for the log; the path is undefined when it is invalid. */
export type Asked = { readonly action: StreamRequest['action']; readonly streamPath?: string }

type AdmissionInit = {
  readonly ctx: Pick<SrtContext, 'config' | 'streams'>
  readonly request: Pick<ConnectionRequest, 'streamId' | 'keyMaterial'>
  readonly peer: UdpPeer
  /** The host and port at which the caller reaches this server. */
  readonly local: { readonly host: string; readonly port: number }
  /** Aborts when the caller has given up. */
  readonly signal: AbortSignal
  /** Called with the caller's request, as far as it is understood, before the gates decide on it. */
  readonly asked: (request: Asked) => void
}

const ADVICE = 'give both ends the same passphrase: srt.passphrase and srt.passphrases here, passphrase= there'

/**
 * Admits a caller by its stream id, its passphrase and the gates, in this order.
 * @throws {MalformedError} the stream id or the key message is broken
 * @throws {UnsupportedMode} as `parseStreamId`
 * @throws {Refusal} it has another passphrase, or none of the stream's tracks can be carried
 * @throws {SluiceError} as `streams.publish` and `streams.subscribe`
 */
export async function admit({ ctx, request, peer, local, signal, asked }: AdmissionInit): Promise<Admitted> {
  const { streamId } = request
  const parsed = parseStreamId(streamId)
  const { action, query } = parsed
  asked({ action })
  const streamPath = checkStreamPath(parsed.streamPath)
  asked({ action, streamPath })
  const keys = await takeKeys(passphraseOf(ctx.config, streamPath), request.keyMaterial)
  const session: SessionInit = {
    streamPath,
    query,
    signal,
    client: sessionClient(peer),
    url: addressOf(local.host, local.port, streamId),
  }
  try {
    // Timestamps of MPEG-TS have 33 bits.
    if (action === 'publish') return { action, keys, member: await ctx.streams.publish(session, { timestampBits: 33 }) }
    const member = await ctx.streams.subscribe(session)
    try {
      checkTracks(member)
      return { action, keys, member }
    } catch (error) {
      member.close('refused')
      throw error
    }
  } catch (error) {
    closeKeys(keys)
    throw error
  }
}

/** Frees the keys of a connection that is not established. */
export function closeKeys(keys: ConnectionKeys | undefined): void {
  keys?.sending.close()
  keys?.receiving.close()
}

async function takeKeys(passphrase: string, message: Buffer | undefined): Promise<ConnectionKeys | undefined> {
  if (passphrase === '' && message === undefined) return undefined
  if (message === undefined) throw new Refusal(REJECT_REASON.unsecure, 'the caller has no passphrase', ADVICE)
  if (passphrase === '')
    throw new Refusal(REJECT_REASON.unsecure, 'the caller has a passphrase, the stream none', ADVICE)
  const keys = await acceptKeys(message, passphrase)
  if (keys === undefined) throw new Refusal(REJECT_REASON.badSecret, 'the caller has another passphrase', ADVICE)
  return keys
}
