import type { Alarms } from './alarms.ts'
import type { ChannelState } from './channel-state.ts'
import { obeyControl } from './controls.ts'
import { bodyOf, type ReceivedBody } from './manscdp/body.ts'
import { element, type XmlElement } from './manscdp/xml.ts'
import { answersTo, type BasicParam } from './queries.ts'
import type { Signalling } from './signalling.ts'
import type { IncomingRequest } from './sip/endpoint.ts'
import { uploadSnapshots } from './snapshots.ts'
import type { Pauses } from './timers.ts'

export type MessageAnswersInit = {
  readonly signalling: Signalling
  readonly pauses: Pauses
  readonly alarms: Alarms
  readonly state: (channelId: string) => ChannelState
  readonly basicParam: () => BasicParam
  readonly configure: (change: Partial<BasicParam>) => void
  /** Ends all without a word, and registers anew. */
  readonly reboot: () => void
  readonly forceKeyframe: (channelId: string) => void
}

/** Answers what platforms send by `MESSAGE`: each by 200, and then by messages of the device's own (GB/T 28181-2022 9.5.2). */
export class MessageAnswers {
  readonly #init: MessageAnswersInit

  constructor(init: MessageAnswersInit) {
    this.#init = init
  }

  take({ respond }: IncomingRequest, body: ReceivedBody): void {
    const { signalling } = this.#init
    respond(200, { toTag: signalling.toTag })
    if (body.kind === 'Query') this.#answer(body)
    else if (body.kind === 'Control') this.#obey(body)
    else if (body.kind === 'Notify' && body.cmdType === 'Broadcast') {
      // This device has no loudspeaker.
      void this.#send([bodyOf('Response', body, [element('Result', 'ERROR')])])
    }
  }

  #obey(control: ReceivedBody): void {
    const { signalling, pauses, alarms, state, configure, reboot, forceKeyframe } = this.#init
    const answer = obeyControl(control, {
      signalling,
      state,
      reboot,
      forceKeyframe,
      configure,
      resetAlarms: (channelId) => alarms.reset(channelId),
      takeSnapshots: (channelId, order) =>
        void uploadSnapshots(signalling, pauses, channelId, order).catch(() => undefined),
    })
    if (answer !== undefined) void this.#send([answer])
  }

  #answer(query: ReceivedBody): void {
    const { signalling, alarms, state, basicParam } = this.#init
    if (signalling.quirks.has('no-answers')) return
    const answers = answersTo(query, { signalling, state, basicParam: basicParam(), alarms: alarms.items })
    void this.#send(answers ?? [bodyOf('Response', query, [element('Result', 'ERROR')])])
  }

  /** Sends messages one after another, each when the one before was taken. */
  async #send(bodies: readonly (XmlElement | string)[]): Promise<void> {
    for (const body of bodies) {
      const status = await this.#init.signalling.message(body).then(
        (response) => response.status,
        () => undefined,
      )
      if (status !== 200) return
    }
  }
}
