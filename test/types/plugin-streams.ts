/** Compiled, never run: how a plugin may publish and subscribe, and what is a compile error. */
import { AccessUnit, definePlugin, type AudioTrack, type MuxerFormat, type SessionInit, type Sink } from 'sluice/sdk'

declare const session: SessionInit
declare const format: MuxerFormat
declare const sink: Sink
declare const track: AudioTrack

declare module 'sluice/sdk' {
  interface Services {
    'clock:test': { now(): number }
  }
}

export default definePlugin({
  name: 'streams',
  version: '1.0.0',
  provides: ['clock:test'],
  async setup(ctx) {
    const publisher = await ctx.streams.publish(session, { timestampBits: 32 })
    publisher.write(AccessUnit.fromData(track, 0, 0, true, Buffer.alloc(1)))
    // @ts-expect-error a unit is made by one of its functions
    publisher.write({ track, dts: 0, pts: 0 })
    // @ts-expect-error there is no such codec
    publisher.addTrack({ kind: 'audio', codec: 'speex', timescale: 1000, config: track.config })
    // @ts-expect-error a codec of pictures makes no track of sound
    publisher.addTrack({ kind: 'audio', codec: 'h264', timescale: 1000, config: track.config })

    const subscriber = await ctx.streams.subscribe(session)
    subscriber.attach(format, sink)
    // @ts-expect-error a reader has to take units
    subscriber.read({ track: () => undefined })
    // @ts-expect-error a session says who the client is
    await ctx.streams.subscribe({ streamPath: 'live/test', url: '', query: '' })

    ctx.services.provide('clock:test', { now: () => 0 })
    const nowMs: number | undefined = ctx.services.get('clock:test')?.now()
    // @ts-expect-error a service is what its plugin declared
    ctx.services.provide('clock:test', { now: () => String(nowMs) })
    // @ts-expect-error nobody declared this service
    ctx.services.get('clock:none')
  },
})
