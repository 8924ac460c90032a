import { serializeManscdp, MANSCDP_CONTENT_TYPE, type ManscdpBody } from '../manscdp/message.ts'
import type { GbCharset } from '../manscdp/charset.ts'
import { DeviceOffline, DeviceRefused, DeviceSilent } from '../errors.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { SipFlow } from '../sip/flow.ts'
import { serializeSipMessage, type SipRequest, type SipResponse } from '../sip/message.ts'
import { randomName } from '../sip/requests.ts'
import { newCallId } from '../sip/dialog.ts'
import { createRequest, sipUri, type SipContent, type SipRequestInit } from '../sip/user-agent.ts'
import type { FlowEnds } from '../transport/switchboard.ts'
import type { SipAgent } from './sip-agent.ts'

/** The largest request by UDP (RFC 3261 18.1.1). */
const MAX_DATAGRAM_BYTES = 1300
/** The longest wait for the answer to a MESSAGE. */
const ANSWER_TIMEOUT_MS = 10_000

/** The way of messages to devices, as far as requests need it. */
export type Way = {
  has(ends: FlowEnds): boolean
  dial(ends: FlowEnds): Promise<FlowEnds | undefined>
}

type DeviceRequestsInit = {
  readonly ctx: Pick<GbContext, 'config' | 'setTimeout'>
  readonly agent: SipAgent
  readonly way: Way
}

/** A new request to a device or one of its channels. */
export type OutgoingInit = {
  readonly method: string
  /** The device or channel that it is for. */
  readonly target: string
  readonly callId?: string
  readonly headers?: SipRequestInit['headers']
  readonly content?: SipContent
}

/** Sends requests of this platform to devices. */
export class DeviceRequests {
  readonly #init: DeviceRequestsInit
  #sequence = 0

  constructor(init: DeviceRequestsInit) {
    this.#init = init
  }

  /** The way to a device. @throws {DeviceOffline} */
  flowTo({ id, isOnline, ends, sipIp }: Device): SipFlow {
    if (!isOnline || ends === undefined || !this.#init.way.has(ends)) throw new DeviceOffline(id)
    const local = sipIp === '' ? ends.local : { ...ends.local, host: sipIp }
    return this.#init.agent.flow({ ...ends, local })
  }

  /**
   * Creates a request outside of dialogs, and the way that it takes: by TCP where it is too large for a datagram and the device
   * takes connections.
   * @throws {DeviceOffline}
   */
  async create(device: Device, init: OutgoingInit): Promise<{ readonly request: SipRequest; readonly flow: SipFlow }> {
    const flow = this.flowTo(device)
    const request = this.#create(device, init, flow)
    if (flow.isReliable || serializeSipMessage(request).length <= MAX_DATAGRAM_BYTES) return { request, flow }
    const dialed = await this.#init.way.dial(flow)
    if (dialed === undefined) return { request, flow }
    const reliable = this.#init.agent.flow(dialed)
    return { request: this.#create(device, init, reliable), flow: reliable }
  }

  /**
   * Sends what the device answers with a 200 alone, as a command.
   * @throws {DeviceOffline} {DeviceSilent} {DeviceRefused}
   */
  async tell(device: Device, body: ManscdpBody, sn: number): Promise<void> {
    const content = { type: MANSCDP_CONTENT_TYPE, body: serializeManscdp({ ...body, sn }, charsetOf(device)) }
    // The standard has the id of the device in the request; that of the channel is in the body.
    const { response } = await this.exchange(device, { method: 'MESSAGE', target: device.id, content })
    if (response.status >= 300) throw new DeviceRefused(device.id, `${response.status} ${response.reason}`.trim())
  }

  /** Sends a request outside of dialogs, and returns it with its final answer. @throws {DeviceOffline} {DeviceSilent} */
  async exchange(
    device: Device,
    init: OutgoingInit,
  ): Promise<{ readonly request: SipRequest; readonly response: SipResponse }> {
    const { agent, ctx } = this.#init
    const { request, flow } = await this.create(device, init)
    const close = agent.open(request.headers.get('Call-ID') ?? '')
    const late = Promise.withResolvers<undefined>()
    const cancel = ctx.setTimeout(() => late.resolve(undefined), ANSWER_TIMEOUT_MS)
    try {
      const response = await Promise.race([agent.ask(request, flow), late.promise])
      if (response === undefined) throw new DeviceSilent(device.id, init.method)
      return { request, response }
    } finally {
      cancel()
      close()
    }
  }

  #create(device: Device, { method, target, callId, headers = [], content }: OutgoingInit, flow: SipFlow): SipRequest {
    const { serial, realm } = this.#init.ctx.config
    const { host, port } = device.ends?.remote ?? flow.remote
    const uri = sipUri(target, host, port)
    const versions: [string, string][] = device.version === '' ? [] : [['X-GB-Ver', device.version]]
    // Numbers of one sender never run back, since some devices take a lower one for a request of old.
    this.#sequence += 1
    return createRequest({
      method,
      uri,
      from: sipUri(serial, realm),
      fromTag: randomName(),
      to: uri,
      callId: callId ?? newCallId(flow),
      cseq: this.#sequence,
      flow,
      headers: [...versions, ...headers],
      ...(content !== undefined && { content }),
    })
  }
}

/** The charset of what a device is sent: its own, or by the standard that of its version. */
export function charsetOf({ charset, version }: Device): GbCharset {
  return charset || (version === '3.0' ? 'GB18030' : 'GB2312')
}
