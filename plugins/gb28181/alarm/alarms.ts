import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { messageOf, LogLimit, WriteBehind } from 'sluice/sdk'
import type { Inquiries } from '../inquiry/inquiries.ts'
import { alarmResponse, describeAlarm, needsReset, parseAlarm, type AlarmNotice } from '../manscdp/alarm.ts'
import { alarmResetControl } from '../manscdp/controls.ts'
import type { ManscdpMessage } from '../manscdp/message.ts'
import type { GbClock } from '../manscdp/times.ts'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { AlarmRow, GbTables } from '../registry/tables.ts'

/** The alarms that a device may raise within a time; what is beyond is answered and not kept. */
const MAX_ALARMS = 60
const WINDOW_MS = 60_000
const LOG_INTERVAL_MS = 10_000
const CLOSE_MS = 1500

/** The filter of a list of alarms; a field that is not set matches all. Times are Unix milliseconds. */
export type AlarmFilter = {
  readonly deviceId: string
  readonly startMs?: number | undefined
  readonly endMs?: number | undefined
  readonly startPriority?: number | undefined
  readonly endPriority?: number | undefined
  readonly method?: number | undefined
  readonly type?: number | undefined
}

type AlarmsInit = {
  readonly ctx: GbContext
  readonly inquiries: Inquiries
  readonly clock: GbClock
}

/** Keeps the alarms of devices, shows them among those of the server, and answers and resets them at the device. */
export class Alarms {
  readonly #init: AlarmsInit
  readonly #db: Kysely<GbTables>
  readonly #rows: WriteBehind<AlarmRow>
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  /** The number of alarms that each device has raised since a time. */
  readonly #counts = new Map<string, { sinceMs: number; count: number }>()

  constructor(init: AlarmsInit) {
    const { ctx } = init
    this.#init = init
    this.#db = ctx.store<GbTables>()
    this.#rows = new WriteBehind<AlarmRow>({
      log: ctx.log,
      database: ctx.database,
      loss: 'alarms of devices were not stored',
      write: async (rows) =>
        void (await this.#db
          .insertInto('gb28181_alarm')
          .values([...rows])
          .execute()),
    })
    ctx.onDispose(async () => void (await this.#rows.close(CLOSE_MS)), { withinMs: 2 * CLOSE_MS })
  }

  /** Takes an alarm that a device has sent. */
  take(device: Device, message: ManscdpMessage): void {
    const { ctx, inquiries, clock } = this.#init
    const alarm = parseAlarm(message, clock)
    this.#tell(device, () => inquiries.respond(device, alarmResponse(alarm.deviceId || device.id), message.sn))
    if (needsReset(alarm)) this.#tell(device, () => inquiries.tell(device, resetOf(alarm, device)))
    if (!this.#counted(device)) return
    const { deviceId } = alarm
    const description = alarm.description || Object.values(describeAlarm(alarm)).filter(Boolean).join(' ')
    const nowMs = Date.now()
    this.#rows.add({
      id: randomUUID(),
      device_id: device.id,
      channel_id: deviceId === device.id ? '' : deviceId,
      priority: alarm.priority,
      method: alarm.method,
      type: alarm.type ?? 0,
      alarm_ms: alarm.timeMs ?? nowMs,
      created_ms: nowMs,
      description,
      longitude: alarm.longitude ?? 0,
      latitude: alarm.latitude ?? 0,
    })
    ctx.hooks.notify('alarm', {
      name: 'gb28181_alarm',
      plugin: 'gb28181',
      description: `device ${device.id}: ${description || 'an alarm'}`,
      ...(deviceId !== '' && deviceId !== device.id && { streamPath: `${device.id}/${deviceId}` }),
    })
  }

  /** Returns the alarms of a device, the newest first. @throws {StoreUnavailable} */
  async list(filter: AlarmFilter, page: { readonly offset: number; readonly limit: number | undefined }) {
    await this.#rows.settled()
    const rows = this.#filtered(filter)
    const { total } = await rows.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    let listed = rows.selectAll().orderBy('alarm_ms', 'desc').orderBy('id').offset(page.offset)
    listed = listed.limit(page.limit ?? 100_000)
    return { total, alarms: await listed.execute() }
  }

  /** Deletes the alarms of a device that was removed. @throws {StoreUnavailable} */
  async remove(deviceId: string): Promise<void> {
    await this.#rows.settled()
    await this.#db.deleteFrom('gb28181_alarm').where('device_id', '=', deviceId).execute()
  }

  #filtered({ deviceId, startMs, endMs, startPriority, endPriority, method, type }: AlarmFilter) {
    let rows = this.#db.selectFrom('gb28181_alarm').where('device_id', '=', deviceId)
    if (startMs !== undefined) rows = rows.where('alarm_ms', '>=', startMs)
    if (endMs !== undefined) rows = rows.where('alarm_ms', '<=', endMs)
    if (startPriority !== undefined) rows = rows.where('priority', '>=', startPriority)
    if (endPriority !== undefined) rows = rows.where('priority', '<=', endPriority)
    if (method !== undefined) rows = rows.where('method', '=', method)
    if (type !== undefined) rows = rows.where('type', '=', type)
    return rows
  }

  #counted(device: Device): boolean {
    const nowMs = Date.now()
    const known = this.#counts.get(device.id)
    const count = known === undefined || nowMs - known.sinceMs > WINDOW_MS ? { sinceMs: nowMs, count: 0 } : known
    this.#counts.set(device.id, count)
    count.count += 1
    if (count.count <= MAX_ALARMS) return true
    const withheld = this.#limit.pass()
    if (withheld !== undefined)
      this.#init.ctx.log.warn({ device: device.id, withheld }, 'a device raises too many alarms: they are not kept')
    return false
  }

  #tell(device: Device, send: () => Promise<void>): void {
    send().catch((error: unknown) => {
      this.#init.ctx.log.debug(
        { device: device.id, fault: messageOf(error) },
        'a device did not take the answer to its alarm',
      )
    })
  }
}

function resetOf({ deviceId, method, type }: AlarmNotice, device: Device) {
  return alarmResetControl(deviceId || device.id, { method: String(method), type })
}
