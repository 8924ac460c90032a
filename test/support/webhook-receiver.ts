import { waitFor } from '../peers/wait-for.ts'
import { ControlServer, type ControlRequest, type ControlRule } from '../gates/control-server.ts'

/** Body of a webhook (docs/alarms.md). */
export type AlarmBody = {
  readonly id: number
  readonly serverInfo: string
  readonly streamName: string
  readonly streamPath: string
  readonly alarmName: string
  readonly alarmDesc: string
  readonly alarmType: number
  readonly isSent: boolean
  readonly createdAt: string
  readonly updatedAt: string
  readonly filePath: string
}

/** A web service that is told of events, over real HTTP. It ends with the test that started it, at the latest. */
export class WebhookReceiver {
  readonly #server: ControlServer

  private constructor(server: ControlServer) {
    this.#server = server
  }

  /** @param rule what it answers; 200 unless given */
  static async start(rule: ControlRule = () => ({})): Promise<WebhookReceiver> {
    return new WebhookReceiver(await ControlServer.start(rule))
  }

  get url(): string {
    return this.#server.url
  }

  set rule(rule: ControlRule) {
    this.#server.rule = rule
  }

  /** Connections it has taken so far. */
  get connectionCount(): number {
    return this.#server.connectionCount
  }

  /** All requests, answered or not. */
  get requests(): readonly ControlRequest[] {
    return this.#server.requests
  }

  get alarms(): readonly AlarmBody[] {
    return this.requests.map(alarmOf)
  }

  get names(): readonly string[] {
    return this.alarms.map(({ alarmName }) => alarmName)
  }

  /** Waits until it was told of an event; of a stream, where one is named. */
  waitFor(name: string, streamPath?: string): Promise<AlarmBody> {
    const isMeant = (alarm: AlarmBody) =>
      alarm.alarmName === name && (streamPath === undefined || alarm.streamPath === streamPath)
    return waitFor(() => this.alarms.find(isMeant), { what: `${name} of ${streamPath ?? 'anything'}` })
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}

/** What a request tells. */
export function alarmOf({ body }: Pick<ControlRequest, 'body'>): AlarmBody {
  return JSON.parse(body) as AlarmBody
}
