import { execFileSync } from 'node:child_process'
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit, type Track } from 'sluice/sdk'
import { vp8Config } from 'sluice/sdk/media'
import { FakeProcesses, LogRecords } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { isSoak } from '../../../test/support/soak.ts'
import {
  COLORS,
  colorOf,
  colorOfPixels,
  difference,
  encodedColors,
  FRAGMENTED,
  HEIGHT,
  seen,
  seenAll,
  unitsOf,
  WIDTH,
  type Color,
} from '../test/test-pictures.ts'
import { PictureEncoder } from './picture-encoder.ts'
import { watermarkFilter } from './watermark.ts'

const FFMPEG = 'ffmpeg'
const OWNER = { owner: 'live/a' }
const SECONDS = 4
/** The number of texts that one ffmpeg draws as expected, and that another one decodes. */
const TEXTS_AT_ONCE = 12
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-x264-params', 'threads=1']
const KEYFRAMES_OF: Readonly<Record<string, readonly string[]>> = {
  'H.264': [...X264, '-bf', '0'],
  'H.264 with B-frames': [...X264, '-bf', '3'],
  'H.264 with open groups': [
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-bf',
    '3',
    '-x264-params',
    'open-gop=1:scenecut=0',
  ],
  'H.265 with open groups': [
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    'log-level=none:open-gop=1:bframes=3',
    '-tag:v',
    'hvc1',
  ],
  AV1: ['-c:v', 'libaom-av1', '-cpu-used', '8', '-usage', 'realtime', '-strict', '-2'],
  VP9: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'],
}

describe('PictureEncoder', () => {
  let processes: FakeProcesses
  let encoder: PictureEncoder
  let log: LogRecords

  before(function () {
    requirePeer(this, 'ffmpeg')
  })
  beforeEach(() => {
    processes = new FakeProcesses()
    keep({ close: () => processes.dispose() })
    log = new LogRecords('snap')
    encoder = encoderOf('ffmpeg')
  })

  function encoderOf(ffmpegpath: string): PictureEncoder {
    return new PictureEncoder({ processes, log: log.logger, config: { ffmpegpath } })
  }

  for (const [name, args] of Object.entries(KEYFRAMES_OF)) {
    it(`makes of each keyframe of ${name} the picture that it shows, of its size`, async () => {
      const keyframes = unitsOf(encodedColors(SECONDS, args, FRAGMENTED)).filter(({ keyframe }) => keyframe)
      expect(keyframes).to.have.length(SECONDS)
      const pictures = await encoder.encodeAll(keyframes, OWNER)
      const alone = await encoder.encode(keyframes[2]!, OWNER)
      const all = seenAll([...pictures.map((jpeg) => jpeg!), alone])
      expect(all.map(({ rgb }) => colorOfPixels(rgb))).to.eql([...COLORS.slice(0, SECONDS), COLORS[2]])
      for (const { width, height } of all) expect({ width, height }).to.eql({ width: WIDTH, height: HEIGHT })
    })
  }

  for (const name of ['H.264 with open groups', 'H.265 with open groups']) {
    it(`keeps the order of keyframes of ${name} that are far apart`, async () => {
      const units = unitsOf(encodedColors(24, KEYFRAMES_OF[name]!, FRAGMENTED, ['-g', '200', '-keyint_min', '200']))
      const keyframes = units.filter(({ keyframe }) => keyframe)
      expect(keyframes).to.have.length(3)
      const pictures = await encoder.encodeAll(keyframes, OWNER)
      expect(colorsOf(pictures)).to.eql([COLORS[0], COLORS[2], COLORS[4]])
      expect(processes.programs).to.have.length(3)
    })
  }

  it('runs one ffmpeg for keyframes that it can read one after the other', async () => {
    const keyframes = keyframesOf(SECONDS)
    await encoder.encodeAll(keyframes, OWNER)
    expect(processes.programs).to.have.length(1)
    expect(processes.programs[0]?.owner).to.equal('live/a')
  })

  it('makes pictures of VP8', async () => {
    const keyframes = framesOfIvf(encodedColors(SECONDS, ['-c:v', 'libvpx', '-deadline', 'realtime'], ['-f', 'ivf']))
    const pictures = await encoder.encodeAll(keyframes, OWNER)
    expect(colorsOf(pictures)).to.eql(COLORS.slice(0, SECONDS))
  })

  it('hands pictures of Motion JPEG on as they are, without ffmpeg, but for a watermark', async () => {
    const data = encodedColors(1, ['-c:v', 'mjpeg', '-frames:v', '1'], ['-f', 'image2pipe'])
    const unit = AccessUnit.fromData(trackOf('mjpeg'), 0, 0, true, data)
    expect(await encoderOf('/no/ffmpeg').encode(unit, OWNER)).to.equal(data)
    const marked = await encoder.encode(unit, { ...OWNER, filter: await filterOf('x') })
    const [plain, drawn] = seenAll([data, marked])
    expect(difference(plain!, drawn!)).to.not.equal(undefined)
  })

  it('leaves out what can not be decoded, and keeps the others at their places', async () => {
    const keyframes = keyframesOf(SECONDS)
    const broken = AccessUnit.fromNalus(keyframes[1]!.track, 0, 0, true, [Buffer.from([0x65, 0xff, 0xff])])
    const pictures = await encoder.encodeAll([keyframes[0]!, broken, keyframes[2]!], OWNER)
    expect(pictures.map((jpeg) => jpeg && colorOf(jpeg))).to.eql(['red', undefined, 'blue'])
    const failure = await rejection(encoder.encode(broken, OWNER))
    expect(failure).to.include({ code: 'NO_PICTURE', statusCode: 500 })
    const { track } = keyframes[0]!
    const noKeyframe = AccessUnit.fromNalus(track, 0, 0, false, [Buffer.from([0x41, 1])])
    expect(await rejection(encoder.encode(noKeyframe, OWNER))).to.have.property('code', 'NO_PICTURE')
  })

  it('says that ffmpeg is missing, once in the log', async () => {
    const [keyframe] = keyframesOf(1)
    const without = encoderOf('/no/ffmpeg')
    for (let times = 0; times < 2; times++) {
      expect(await rejection(without.encode(keyframe!, OWNER))).to.include({ code: 'NO_PROGRAM', statusCode: 503 })
    }
    expect(log.problems.map(({ msg }) => msg)).to.have.length(1)
    expect(log.problems[0]?.msg).to.include("'/no/ffmpeg'").and.include('snap: ffmpegpath')
  })

  it('turns away who comes when too many wait, and runs no more than two at a time', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-snap-'))
    keep({ close: () => rm(folder, { recursive: true }) })
    const [gate, stuck] = [path.join(folder, 'gate'), path.join(folder, 'stuck')]
    execFileSync('mkfifo', [gate])
    // Each program waits until the test opens the gate.
    await writeFile(stuck, `#!/bin/sh\ncat > /dev/null\nread -r _ < '${gate}'\n`, { mode: 0o755 })
    const [keyframe] = keyframesOf(1)
    const waiting = encoderOf(stuck)
    const control = new AbortController()
    const asked = Array.from({ length: 18 }, () =>
      rejection(waiting.encode(keyframe!, { ...OWNER, signal: control.signal })),
    )
    const refused = await rejection(waiting.encode(keyframe!, OWNER))
    expect(refused).to.include({ statusCode: 503 }).and.to.have.deep.property('headers', { 'retry-after': '2' })
    expect(processes.programs).to.have.length(2)
    control.abort(new Error('enough'))
    for (const error of await Promise.all(asked)) expect(error).to.have.property('message', 'enough')
    expect(processes.programs).to.have.length(2)
    expect(colorOf(await encoderOf('ffmpeg').encode(keyframe!, OWNER))).to.equal('red')
    await access(gate)
  })

  describe('a watermark', () => {
    it('is drawn where it is wanted, in its color', async () => {
      const [black] = keyframesOf(6).slice(-1)
      const plain = seen(await encoder.encode(black!, OWNER))
      const filter = await filterOf('Hi', { offsetX: 100, offsetY: 80, fontColor: 'rgba(0,255,0,1)' })
      const marked = seen(await encoder.encode(black!, { ...OWNER, filter }))
      const changed = difference(plain, marked)!
      expect(changed.left).to.be.within(100, 112)
      expect(changed.top).to.be.within(80, 100)
      expect(changed.right).to.be.below(180)
      expect(changed.bottom).to.be.below(130)
      const green = Math.max(...marked.rgb.filter((_value, index) => index % 3 === 1))
      const red = Math.max(...marked.rgb.filter((_value, index) => index % 3 === 0))
      expect(green).to.be.greaterThan(200)
      expect(red).to.be.below(120)
    })

    // A character that is special to a filter, its options or the expansion of texts would change the picture, and cause no error.
    const texts = [
      "it's",
      'a:b',
      '100%',
      '%{localtime}',
      String.raw`back\slash`,
      String.raw`\n`,
      'a,b;c[d]=e',
      ' spaced ',
      '{}',
      'Größe 標題',
    ]
    it('is the text as it is', () => expectDrawn([...texts, "'", ':', '\\', "\\'", ':fontsize=90:x=50']))

    it('is any text as it is', async () => {
      const special = fc.constantFrom(...'\\\'":%,;[]{}=@$`#|\n /-'.split(''), 'a', 'B', '7', 'é')
      const text = fc.array(special, { minLength: 1, maxLength: 10 }).map((characters) => characters.join(''))
      const texts = fc.array(text, { minLength: TEXTS_AT_ONCE, maxLength: TEXTS_AT_ONCE })
      await fc.assert(fc.asyncProperty(texts, expectDrawn), { numRuns: isSoak ? 5 : 1 })
    })

    it('goes over several lines', async () => {
      const [black] = keyframesOf(6).slice(-1)
      const plain = seen(await encoder.encode(black!, OWNER))
      const bottomOf = async (text: string) => {
        const filter = await filterOf(text)
        return difference(plain, seen(await encoder.encode(black!, { ...OWNER, filter })))!.bottom
      }
      expect(await bottomOf('A\nA')).to.be.greaterThan((await bottomOf('A')) + 20)
    })
  })

  async function expectDrawn(texts: readonly string[]): Promise<void> {
    const [black] = keyframesOf(6).slice(-1)
    const marked: Uint8Array[] = []
    for (const text of texts) marked.push(await encoder.encode(black!, { ...OWNER, filter: await filterOf(text) }))
    const pictures = seenAll([...marked, ...(await expectedOf(texts))])
    for (const [index, text] of texts.entries()) {
      expect(difference(pictures[index]!, pictures[texts.length + index]!), text).to.equal(undefined)
    }
  }

  /** Returns JPEGs of texts that one ffmpeg reads from files, in which nothing has to be escaped. */
  async function expectedOf(texts: readonly string[]): Promise<Uint8Array[]> {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-snap-'))
    keep({ close: () => rm(folder, { recursive: true }) })
    const args: string[] = []
    for (const [index, text] of texts.entries()) {
      await writeFile(path.join(folder, `text${index}`), text)
      const draw = `drawtext=font=Sans:textfile=${folder}/text${index}:expansion=none:fontcolor=0xffa500:fontsize=36:line_spacing=2:x=0:y=0`
      args.push('-map', '0:v', '-frames:v', '1', '-vf', draw, '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '2')
      args.push('-f', 'image2pipe', path.join(folder, `${index}.jpg`))
    }
    const source = ['-f', 'lavfi', '-i', `color=black:s=${WIDTH}x${HEIGHT}`]
    execFileSync(FFMPEG, ['-v', 'error', ...source, ...args])
    return Promise.all(texts.map((_text, index) => readFile(path.join(folder, `${index}.jpg`))))
  }
})

function colorsOf(jpegs: readonly (Uint8Array | undefined)[]): Color[] {
  return seenAll(jpegs.map((jpeg) => jpeg!)).map(({ rgb }) => colorOfPixels(rgb))
}

const made = new Map<number, AccessUnit[]>()

function keyframesOf(seconds: number): AccessUnit[] {
  const known = made.get(seconds)
  const units = known ?? unitsOf(encodedColors(seconds, [...X264, '-bf', '0'], FRAGMENTED))
  made.set(seconds, units)
  return units.filter(({ keyframe }) => keyframe)
}

function filterOf(text: string, more = {}) {
  const look = { fontPath: '', fontColor: 'rgba(255,165,0,1)', fontSize: 36, fontSpacing: 2, offsetX: 0, offsetY: 0 }
  return watermarkFilter({ text, ...look, ...more })
}

function trackOf(codec: 'mjpeg' | 'vp8'): Track {
  const config =
    codec === 'vp8'
      ? vp8Config({ width: WIDTH, height: HEIGHT })
      : { record: Buffer.alloc(0), width: WIDTH, height: HEIGHT, codecString: 'mjpeg' }
  return { kind: 'video', codec, timescale: 1000, id: 0, config }
}

/** The keyframes of an IVF of VP8: their first bit is 0 (RFC 6386 9.1). */
function framesOfIvf(ivf: Buffer): AccessUnit[] {
  const units: AccessUnit[] = []
  for (let offset = ivf.readUInt16LE(6); offset < ivf.length; offset += 12 + ivf.readUInt32LE(offset)) {
    const data = ivf.subarray(offset + 12, offset + 12 + ivf.readUInt32LE(offset))
    if ((data[0]! & 1) === 0) units.push(AccessUnit.fromData(trackOf('vp8'), 0, 0, true, data))
  }
  return units
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}
