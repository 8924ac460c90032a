import { StoreUnavailable } from 'sluice/sdk'
import { tryParse } from 'sluice/sdk/media'
import { Alarms } from './alarm/alarms.ts'
import { clockOfZone } from './device-clock.ts'
import { Downloads, type KeptDownloads } from './download/downloads.ts'
import { welcome } from './inquiry/arrival.ts'
import { CatalogSync } from './inquiry/catalog-sync.ts'
import { Inquiries } from './inquiry/inquiries.ts'
import { parseManscdp } from './manscdp/message.ts'
import type { GbClock } from './manscdp/times.ts'
import type { MediaTools } from './media/media-session.ts'
import { OnePort } from './media/one-port.ts'
import { SsrcPool } from './media/ssrc-pool.ts'
import type { GbContext } from './plugin-context.ts'
import { livePath } from './registry/channel.ts'
import type { Device } from './registry/device.ts'
import { newKeptRegistry, Registry } from './registry/registry.ts'
import { RegistryRows } from './registry/registry-rows.ts'
import { newKeptCredentials } from './signalling/credentials.ts'
import { DeviceRequests } from './signalling/device-requests.ts'
import { DeviceServer } from './signalling/device-server.ts'
import { noticeHandlers } from './signalling/notices.ts'
import { watchPresence } from './signalling/presence.ts'
import { Registrar } from './signalling/registrar.ts'
import { SenderCheck } from './signalling/sender-check.ts'
import { SipAgent } from './signalling/sip-agent.ts'
import type { RunningStreams } from './streams/running-streams.ts'
import { Subscriptions, type KeptSubscriptions } from './subscription/subscriptions.ts'
import { SipTransport } from './transport/sip-transport.ts'
import { newSwitchboard, flowName, type FlowEnds } from './transport/switchboard.ts'

/** The parts of the plugin that its operations, pulls and metrics use. */
export type Platform = {
  readonly ctx: GbContext
  readonly clock: GbClock
  readonly registry: Registry
  readonly inquiries: Inquiries
  readonly sync: CatalogSync
  readonly subscriptions: Subscriptions
  readonly alarms: Alarms
  readonly downloads: Downloads
  readonly running: RunningStreams
  readonly registrar: Registrar
  readonly transport: SipTransport
  readonly media: MediaTools
  /** Forgets a device that is about to be removed: its streams and its connection end. */
  forget(device: Device): void
}

/**
 * Puts the platform together, and listens.
 * @throws {Error} when an address can't be had
 */
export async function createPlatform(ctx: GbContext): Promise<Platform> {
  const board = ctx.keep('switchboard', newSwitchboard)
  const keptRegistry = ctx.keep('registry', newKeptRegistry)
  const credentials = ctx.keep('credentials', newKeptCredentials)
  const keptSubscriptions = ctx.keep('subscriptions', (): KeptSubscriptions => new Map())

  const clock = clockOfZone(ctx.config.timezone)
  const rows = new RegistryRows(ctx, keptRegistry)
  const registry = new Registry(keptRegistry, rows)
  const agent = new SipAgent(ctx, board)
  const transport = new SipTransport({
    ctx,
    board,
    onMessage: (message, flow) => agent.receive(message, flow),
    onGone: (ends) => lose(ends),
  })
  const requests = new DeviceRequests({ ctx, agent, way: transport })
  const inquiries = new Inquiries({ ctx, board, requests })
  const sync = new CatalogSync({ ctx, inquiries, registry })
  const nextNumber = () => inquiries.nextNumber()
  const subscriptions = new Subscriptions({ ctx, agent, requests, registry, kept: keptSubscriptions, nextNumber })
  const alarms = new Alarms({ ctx, inquiries, clock })
  const downloads = new Downloads(
    ctx,
    ctx.keep('downloads', (): KeptDownloads => new Map()),
  )
  const arrive = (device: Device) => void welcome({ ctx, registry, inquiries, sync, subscriptions }, device)
  const registrar = new Registrar({ ctx, registry, kept: credentials, clock, onArrival: arrive })
  const notices = noticeHandlers({ registry, board, alarms, clock })
  agent.serve(
    new DeviceServer({
      ctx,
      registry,
      registrar,
      senders: new SenderCheck({ ctx, registry, kept: credentials }),
      notices,
      onBack: arrive,
      onAnswer: (device, answer, body) => void inquiries.answered(device.id, answer, body),
      onNotify(device, request) {
        if (!subscriptions.owns(device, request)) return false
        const notice = tryParse((body) => parseManscdp(body, device.charset || undefined), request.body)
        if (notice !== undefined) notices[notice.cmdType]?.(device, notice)
        return true
      },
    }),
  )

  /** A device whose connection is lost is offline (GB/T 28181-2022 9.1). */
  function lose(ends: FlowEnds): void {
    const name = flowName(ends)
    for (const device of registry.devices) {
      if (!device.isOnline || device.ends === undefined || flowName(device.ends) !== name) continue
      registry.changeDevice(device, { isOnline: false })
      ctx.log.info({ device: device.id }, 'a device is offline: its connection has ended')
    }
  }

  if (ctx.database.exists) await rows.load().catch(ignoreAway)
  ctx.onDrain(ctx.database.onAvailable(() => rows.load()))

  const { first, last } = ctx.config.mediaport
  const onePort = first === last ? new OnePort(ctx, board) : undefined
  await transport.listen()
  await onePort?.listen(first)
  const send = (ends: FlowEnds, message: Buffer) => transport.send(ends, message)
  board.senders.unshift(send)
  ctx.onDrain(() => transport.handOver())
  ctx.onDispose(() => {
    agent.close()
    board.senders.splice(board.senders.indexOf(send), 1)
  })
  ctx.onDispose(() => rows.close(), { withinMs: 3000 })
  watchPresence(ctx, registry, ({ ends }) => ends !== undefined && transport.drop(ends))

  return {
    ctx,
    clock,
    registry,
    inquiries,
    sync,
    subscriptions,
    alarms,
    downloads,
    running: ctx.keep('running', (): RunningStreams => new Map()),
    registrar,
    transport,
    media: {
      ctx,
      agent,
      requests,
      ssrcs: new SsrcPool(ctx.config.realm, board.ssrcs),
      onePort,
      fileEnds: board.fileEnds,
    },
    forget(device) {
      for (const channel of registry.channelsOf(device.id))
        ctx.jobs.pulls.get(livePath(channel))?.stop('its device was removed')
      subscriptions.forget(device.id)
      sync.forget(device.id)
      if (device.ends !== undefined) transport.drop(device.ends)
    },
  }
}

/** Ignores that the database is away: what it has is loaded when it comes. */
function ignoreAway(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}
