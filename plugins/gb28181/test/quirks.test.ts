import { expect } from 'chai'
import type { ReceivedFrame } from '../../../test/support/flv-frames.ts'
import type { Clip, FfmpegClip, GbDeviceOptions, Quirk } from '../device/index.ts'
import { freeTcpUdpPort } from '../../../test/peers/free-port.ts'
import { clipOf, faultOf, GbRig, picturesOf } from '../fixtures/rig.ts'

const FRAMES = 80
/** The time of a picture of the clips. */
const PICTURE_MS = 40

/** A row of gb28181.md 8 whose media must come all the same: complete, in order, and in time, unless `check` says otherwise. */
type MediaRow = {
  readonly name: string
  readonly quirks: readonly Quirk[]
  readonly clip?: FfmpegClip
  readonly device?: Partial<GbDeviceOptions>
  /** Also with one port for the media of all. */
  readonly isOnePortToo?: boolean
  readonly check?: (frames: readonly ReceivedFrame[], clip: Clip) => void
}

const isRight = (frames: readonly ReceivedFrame[], clip: Clip) => expect(faultOf(frames, clip)).to.equal(undefined)

/** Sound whose times go on by its samples. */
const isSoundSteady = (frames: readonly ReceivedFrame[]) => {
  const times = frames.filter(({ kind }) => kind === 'audio').map(({ dtsMs }) => dtsMs)
  expect(times.length).to.be.greaterThan(10)
  for (const [index, time] of times.slice(1).entries()) expect(time - times[index]!).to.be.within(30, 50)
}

/** Pictures of the clip, each at its time, though some are missing, and so many damaged. */
const isUnbroken = (frames: readonly ReceivedFrame[], clip: Clip, damaged = 0) => {
  const places = picturesOf(clip)
  const all = frames.filter(({ kind }) => kind === 'video')
  const pictures = all.filter(({ md5 }) => places.includes(md5))
  expect(all.length - pictures.length).to.be.at.most(damaged)
  for (const [index, { dtsMs, md5 }] of pictures.slice(1).entries()) {
    const former = pictures[index]!
    const apart = (places.indexOf(md5) - places.indexOf(former.md5) + places.length) % places.length
    expect((dtsMs - former.dtsMs) / PICTURE_MS).to.be.closeTo(apart, 0.1)
  }
}

const ROWS: readonly MediaRow[] = [
  { name: 'device ignores y= and sends its own SSRC', quirks: ['own-ssrc'], isOnePortToo: true },
  { name: '200 OK without y=', quirks: ['no-y'], isOnePortToo: true },
  { name: 'Dahua: SSRC 0 in RTP', quirks: ['zero-ssrc'], isOnePortToo: true },
  {
    name: 'Dahua: bare G.711A RTP on the same port and SSRC',
    quirks: ['bare-audio'],
    clip: { audio: 'pcma' },
    check(frames, clip) {
      isRight(frames, clip)
      isSoundSteady(frames)
    },
  },
  {
    name: 'Dahua: G.711A timestamps jump',
    quirks: ['jumping-audio-times'],
    clip: { audio: 'pcma' },
    check(frames, clip) {
      isRight(frames, clip)
      isSoundSteady(frames)
    },
  },
  { name: 'Dahua: PS start or PES oddities', quirks: ['stuffing', 'psm-once', 'long-pes'] },
  { name: 'Hikvision: private PES (BD) with metadata', quirks: ['private-pes'] },
  { name: 'Hikvision: EHOME header of 256 bytes', quirks: ['ehome'] },
  { name: 'Hikvision: $ + channel + 2-byte length', quirks: ['dollar-framing'] },
  { name: 'Hikvision: INVITE target is the channel', quirks: ['resets-other-uri'], device: { transport: 'tcp' } },
  { name: 'Huawei: multi-slice frames', quirks: ['slices'], clip: { slices: 4 } },
  {
    name: 'Any TCP sender: overwritten send buffer breaks RFC 4571 framing',
    quirks: ['broken-framing=60'],
    // The packet that was overwritten looks whole until what follows is none.
    check: (frames, clip) => isUnbroken(frames, clip, 1),
  },
  { name: 'Any: PSM says H265, data is H264', quirks: ['lying-psm'] },
  { name: 'Any: PSM absent', quirks: ['no-psm'], clip: { audio: 'none' } },
  {
    name: 'dual network card: media from another address than SIP',
    quirks: ['other-media-address'],
    isOnePortToo: true,
  },
  { name: 'Contact with private address', quirks: ['private-contact'] },
  { name: 'port -1', quirks: ['bad-ports'] },
  { name: 'port absent', quirks: ['no-ports'] },
  { name: 'missing To tag', quirks: ['no-to-tag'] },
  {
    name: 'loss of 1 %',
    quirks: ['lose=100'],
    device: { version: '1.0' },
    check: (frames, clip) => isUnbroken(frames, clip),
  },
  { name: 'reorder', quirks: ['reorder'], device: { version: '1.0' } },
]

describe('devices as they are', () => {
  for (const isOnePort of [false, true]) {
    describe(isOnePort ? 'with one port for media' : 'with a port for each stream', () => {
      const rows = ROWS.filter(({ isOnePortToo = false }) => !isOnePort || isOnePortToo)
      const runs = new Map<string, Promise<{ readonly frames: readonly ReceivedFrame[]; readonly clip: Clip }>>()
      let rig: GbRig

      // All at once, as each takes its time. What is kept of them goes with the first test.
      before(async () => {
        rig = await GbRig.start({ config: isOnePort ? [`mediaport: ${await freeTcpUdpPort()}`] : [] })
        for (const [index, row] of rows.entries()) {
          runs.set(row.name, watch(row, `340200000013200001${String(index).padStart(2, '0')}`))
        }
        await Promise.allSettled(runs.values())
        await rig.isAtRest()
      })

      async function watch({ quirks, clip: init = {}, device: options }: MediaRow, id: string) {
        const clip = await clipOf(init)
        const device = await rig.registered({ id, source: clip, quirks, ...options })
        const viewer = rig.watch(rig.pathOf(device))
        await viewer.received.wait(FRAMES)
        viewer.close()
        return { frames: viewer.received.frames, clip }
      }

      for (const { name, check = isRight } of rows) {
        it(name, async () => {
          const { frames, clip } = await runs.get(name)!
          check(frames, clip)
        })
      }
    })
  }
})
