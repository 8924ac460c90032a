import { bodyOf } from './manscdp/body.ts'
import { dateTimeText } from './manscdp/date-time.ts'
import { element, elementsOf, type XmlElement } from './manscdp/xml.ts'
import type { Signalling } from './signalling.ts'

/** An alarm (GB/T 28181-2022 A.2.5.3). */
export type GbAlarm = {
  /** The channel; by default the device itself. */
  readonly channelId?: string
  /** 1 is the highest; 1 by default. */
  readonly priority?: number
  /** 1 telephone, 2 device, 3 message, 4 GPS, 5 video, 6 failure, 7 other; 5 by default. */
  readonly method?: number
  /** Now by default. */
  readonly time?: Date
  readonly description?: string
  /** The number within the method, in `Info`. */
  readonly type?: number
  /** Further elements of `Info`. */
  readonly info?: Readonly<Record<string, string | number>>
}

/** The method of alarms that the platform must reset (9.4.1). */
const DEVICE_METHOD = 2
/** So many alarms are kept for queries. */
const MAX_KEPT = 100
const DEFAULT_METHOD = 5
const DEFAULT_REPEAT_MS = 5000

/** The alarms of a device: those of method 2 are sent again until they are reset. */
export class Alarms {
  readonly #signalling: Signalling
  readonly #stops = new Map<GbAlarm, () => void>()
  /** The items of the last alarms, for queries. */
  readonly items: XmlElement[] = []

  constructor(signalling: Signalling) {
    this.#signalling = signalling
  }

  /** The alarms that are sent again and again. */
  get repeated(): readonly GbAlarm[] {
    return [...this.#stops.keys()]
  }

  /**
   * Tells of an alarm by `MESSAGE`, and returns the status of the response.
   * @throws {NoResponse} when there is none
   */
  async send(alarm: GbAlarm): Promise<number> {
    const fields = alarmFields(alarm)
    const target = this.#targetOf(alarm)
    this.items.push(element('Item', [...elementsOf({ DeviceID: target }), ...fields]))
    if (this.items.length > MAX_KEPT) this.items.shift()
    if (alarm.method === DEVICE_METHOD) this.#repeat(alarm)
    const { status } = await this.#signalling.message(this.body(alarm))
    return status
  }

  /** The body that tells of an alarm, with a number of its own. */
  body(alarm: GbAlarm): XmlElement {
    const head = { cmdType: 'Alarm', sn: this.#signalling.nextSn(), deviceId: this.#targetOf(alarm) }
    return bodyOf('Notify', head, alarmFields(alarm))
  }

  /** Ends what is repeated: of a channel, or of all when it is the device. */
  reset(channelId: string): void {
    for (const [alarm, stop] of this.#stops) {
      if (channelId !== this.#signalling.id && this.#targetOf(alarm) !== channelId) continue
      stop()
      this.#stops.delete(alarm)
    }
  }

  #repeat(alarm: GbAlarm): void {
    const { timers, options } = this.#signalling
    const stop = timers.after(options.alarmRepeatMs ?? DEFAULT_REPEAT_MS, () => {
      this.#repeat(alarm)
      // The next one tells the platform again, whatever it has answered to this one.
      void this.#signalling.message(this.body(alarm)).catch(() => undefined)
    })
    this.#stops.set(alarm, stop)
  }

  #targetOf({ channelId }: GbAlarm): string {
    return channelId ?? this.#signalling.id
  }
}

function alarmFields(alarm: GbAlarm): XmlElement[] {
  const { priority = 1, method = DEFAULT_METHOD, time = new Date(), description, type, info = {} } = alarm
  const details = elementsOf({ AlarmType: type, ...info })
  return [
    ...elementsOf({
      AlarmPriority: priority,
      AlarmMethod: method,
      AlarmTime: dateTimeText(time),
      AlarmDescription: description,
    }),
    ...(details.length === 0 ? [] : [element('Info', details)]),
  ]
}
