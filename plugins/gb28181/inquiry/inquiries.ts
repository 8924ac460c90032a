import { tryParse } from 'sluice/sdk/media'
import { DeviceRefused, DeviceSilent } from '../errors.ts'
import { parseManscdp, type ManscdpBody, type ManscdpMessage } from '../manscdp/message.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { DeviceRequests } from '../signalling/device-requests.ts'
import type { Switchboard } from '../transport/switchboard.ts'

/** The longest wait for the answer to a query, after it was taken. */
const ANSWER_TIMEOUT_MS = 10_000
const MAX_SERIAL_NUMBER = 0x7f_ff_ff_ff

type InquiriesInit = {
  readonly ctx: Pick<GbContext, 'setTimeout'>
  readonly board: Switchboard
  readonly requests: DeviceRequests
}

/** A query to which several messages answer. */
export type OpenInquiry = {
  /** The number by which answers belong to it. */
  readonly sn: number
  /** Ends it: further answers are left out. Idempotent. */
  close(): void
}

/** Asks devices, and leads what they answer to who has asked: an answer is a message of its own with the number of the query. */
export class Inquiries {
  readonly #init: InquiriesInit

  constructor(init: InquiriesInit) {
    this.#init = init
  }

  /** Sends a command that a device answers with a 200 alone. @throws as {@link DeviceRequests.tell} */
  tell(device: Device, body: ManscdpBody): Promise<void> {
    return this.#init.requests.tell(device, body, this.nextNumber())
  }

  /**
   * Asks a device, and returns the first answer.
   * @throws {DeviceOffline} {DeviceSilent} {DeviceRefused}
   */
  async ask(device: Device, body: ManscdpBody, timeoutMs = ANSWER_TIMEOUT_MS): Promise<ManscdpMessage> {
    const answered = Promise.withResolvers<ManscdpMessage>()
    const open = this.open(device, body, answered.resolve)
    const cancel = this.#init.ctx.setTimeout(
      () => answered.reject(new DeviceSilent(device.id, body.cmdType)),
      timeoutMs,
    )
    try {
      // A refusal comes before the answer; the answer may come before the 200.
      return await Promise.race([answered.promise, open.sent.then(() => answered.promise)])
    } finally {
      cancel()
      open.close()
    }
  }

  /** Asks a device whose answer says nothing but whether it agrees. @throws as `ask` */
  async command(device: Device, body: ManscdpBody): Promise<void> {
    const { root } = await this.ask(device, body)
    const result = root.text('Result') ?? 'OK'
    if (result.toUpperCase() !== 'OK') throw new DeviceRefused(device.id, root.text('Reason') ?? result)
  }

  /** Answers a notice of a device that has this number. @throws as `tell` */
  respond(device: Device, body: ManscdpBody, sn: number): Promise<void> {
    return this.#init.requests.tell(device, body, sn)
  }

  /** Sends a query, and calls `onAnswer` for each answer until it is closed. `sent` rejects when the device does not take it. */
  open(
    device: Device,
    body: ManscdpBody,
    onAnswer: (answer: ManscdpMessage) => void,
  ): OpenInquiry & { readonly sent: Promise<void> } {
    const { board, requests } = this.#init
    const sn = this.nextNumber()
    const key = answerKey(device.id, sn)
    const take = (bytes: Buffer) => {
      const answer = tryParse((each) => parseManscdp(each, device.charset || undefined), bytes)
      if (answer !== undefined) onAnswer(answer)
    }
    board.answers.set(key, take)
    const sent = requests.tell(device, body, sn)
    sent.catch(() => {})
    return { sn, sent, close: () => void (board.answers.get(key) === take && board.answers.delete(key)) }
  }

  /** Leads an answer to the query that it belongs to; returns false when there is none. */
  answered(deviceId: string, { sn }: ManscdpMessage, body: Buffer): boolean {
    const take = this.#init.board.answers.get(answerKey(deviceId, sn))
    take?.(body)
    return take !== undefined
  }

  /** A number that no other message of this platform has. */
  nextNumber(): number {
    const { board } = this.#init
    board.serialNumber = (board.serialNumber % MAX_SERIAL_NUMBER) + 1
    return board.serialNumber
  }
}

function answerKey(deviceId: string, sn: number): string {
  return `${deviceId} ${sn}`
}
