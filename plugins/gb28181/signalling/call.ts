import { MalformedError } from 'sluice/sdk/media'
import { DeviceRefused, DeviceSilent } from '../errors.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import { parseGbDescription, serializeGbDescription, type GbDescription } from '../sdp/session-description.ts'
import { newCallId, SipDialog } from '../sip/dialog.ts'
import type { SipFlow } from '../sip/flow.ts'
import type { SipRequest, SipResponse } from '../sip/message.ts'
import type { ServerTransaction } from '../sip/server-transaction.ts'
import type { SipContent } from '../sip/user-agent.ts'
import type { DeviceRequests } from './device-requests.ts'
import type { SipAgent } from './sip-agent.ts'

const SDP_CONTENT_TYPE = 'application/sdp'

export type CallInit = {
  readonly ctx: Pick<GbContext, 'setTimeout' | 'hold'>
  readonly agent: SipAgent
  readonly requests: DeviceRequests
  readonly device: Device
  /** The channel that is called: some devices reset the connection when the request names another. */
  readonly channelId: string
  readonly subject: string
  readonly offer: GbDescription
  /** The longest wait for the answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Takes a MESSAGE that comes within the call. */
  readonly onMessage: (request: SipRequest) => void
}

/** The device does not take what it was offered (488): another way of media may do. */
export class OfferRefused extends DeviceRefused {}

const REFUSED_OFFERS: ReadonlySet<number> = new Set([415, 488, 606])

/** A call of this platform to a device: an INVITE that was answered, until the BYE of one of both (RFC 3261 13, 15). */
export class Call {
  readonly answer: GbDescription
  readonly #init: CallInit
  readonly #flow: SipFlow
  readonly #dialog: SipDialog
  readonly #close: () => void
  readonly #ended = Promise.withResolvers<string>()
  #isOver = false

  private constructor(init: CallInit, placed: Placed) {
    this.#init = init
    this.#flow = placed.flow
    this.#dialog = placed.dialog
    this.#close = placed.close
    this.answer = placed.answer
    void placed.goodbye.then(() => this.#over('the device has ended it'))
  }

  /** Resolves when the device has ended the call, with the reason. */
  get ended(): Promise<string> {
    return this.#ended.promise
  }

  /**
   * Calls a device.
   * @throws {DeviceOffline} {DeviceSilent} when no answer comes in time
   * @throws {OfferRefused} {DeviceRefused}
   * @throws the signal's reason
   */
  static async place(init: CallInit): Promise<Call> {
    return new Call(init, await place(init))
  }

  /** Sends a request within the call; undefined when no answer came. */
  async info(content: SipContent): Promise<SipResponse | undefined> {
    if (this.#isOver) return undefined
    const flow = this.#flowNow()
    return this.#init.agent.ask(this.#dialog.request('INFO', flow, { content }), flow)
  }

  /** Ends the call: the device is told, as often as it takes. Idempotent. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const flow = this.#flowNow()
    void this.#init.agent.ask(this.#dialog.request('BYE', flow), flow).then(this.#close)
  }

  /** The way to the device: it may have another connection or address by now. */
  #flowNow(): SipFlow {
    const { agent, device } = this.#init
    return device.isOnline && device.ends !== undefined ? agent.flow(device.ends) : this.#flow
  }

  #over(reason: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#close()
    this.#ended.resolve(reason)
  }
}

type Placed = {
  readonly flow: SipFlow
  readonly dialog: SipDialog
  readonly answer: GbDescription
  readonly close: () => void
  /** Resolves when the device has ended the call, which may be right behind its answer. */
  readonly goodbye: Promise<void>
}

async function place(init: CallInit): Promise<Placed> {
  const { agent, requests, device, channelId, subject, offer, signal } = init
  signal.throwIfAborted()
  const callId = newCallId(requests.flowTo(device))
  const { request, flow } = await requests.create(device, {
    method: 'INVITE',
    target: channelId,
    callId,
    headers: [['Subject', subject]],
    content: { type: SDP_CONTENT_TYPE, body: Buffer.from(serializeGbDescription(offer)) },
  })
  const goodbye = Promise.withResolvers<void>()
  const leave = agent.open(callId, { request: (transaction) => take(transaction, init, goodbye.resolve) })
  // A generation that was replaced stays until the device knows that its call is over.
  const release = init.ctx.hold()
  const close = () => {
    leave()
    release()
  }
  try {
    const { dialog, answer } = await answerTo(request, flow, init)
    return { flow, dialog, answer, close, goodbye: goodbye.promise }
  } catch (error) {
    if (error instanceof DeviceRefused) close()
    // What a device still answers that was given up finds the call for a while.
    else init.ctx.setTimeout(close, init.timeoutMs)
    throw error
  }
}

/** Answers a request of the device within the call. */
function take(transaction: ServerTransaction, init: CallInit, onGoodbye: () => void): void {
  const { request } = transaction
  switch (request.method) {
    case 'BYE':
      transaction.respond({ status: 200 })
      return onGoodbye()
    case 'MESSAGE':
      transaction.respond({ status: 200 })
      return init.onMessage(request)
    case 'INFO':
      return transaction.respond({ status: 200 })
    default:
      return transaction.respond({ status: 488 })
  }
}

type Answered = { readonly dialog: SipDialog; readonly answer: GbDescription }

function answerTo(request: SipRequest, flow: SipFlow, init: CallInit): Promise<Answered> {
  const { agent, device, signal, ctx, timeoutMs } = init
  const result = Promise.withResolvers<Answered>()
  let isGivenUp = false
  let known: SipDialog | undefined
  const accepted = (response: SipResponse) => {
    // An answer that comes again was not acknowledged, or that was lost.
    if (known !== undefined) return flow.send(known.acknowledge(flow))
    const dialog = SipDialog.ofAnswer(request, response)
    known = dialog
    flow.send(dialog.acknowledge(flow))
    const answer = isGivenUp ? undefined : parsed(response)
    if (answer !== undefined) return result.resolve({ dialog, answer })
    void agent.ask(dialog.request('BYE', flow), flow)
    result.reject(new DeviceRefused(device.id, 'its answer has no description of media'))
  }
  const transaction = agent.send(request, flow, {
    onFinal(response) {
      if (response.status < 300) return accepted(response)
      const Refusal = REFUSED_OFFERS.has(response.status) ? OfferRefused : DeviceRefused
      result.reject(new Refusal(device.id, `${response.status} ${response.reason}`.trim()))
    },
    onTimeout: () => result.reject(new DeviceSilent(device.id, 'INVITE')),
  })
  const giveUp = (reason: unknown) => {
    if (isGivenUp || known !== undefined) return
    isGivenUp = true
    agent.cancel(transaction)
    result.reject(reason)
  }
  const cancel = ctx.setTimeout(() => giveUp(new DeviceSilent(device.id, 'INVITE')), timeoutMs)
  const abort = () => giveUp(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return result.promise.finally(() => {
    cancel()
    signal.removeEventListener('abort', abort)
  })
}

function parsed({ body }: SipResponse): GbDescription | undefined {
  try {
    return parseGbDescription(body.toString('utf8'))
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return undefined
  }
}
