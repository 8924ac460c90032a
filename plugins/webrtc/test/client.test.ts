import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { addressOf, LiveStream, SeenStream, startPull, startPush, startWebRtc } from '../fixtures/client-rig.ts'

const PICTURES = 40

describe('a source by WHEP and a target by WHIP', () => {
  for (const codec of ['h264', 'vp8', 'vp9', 'av1'] as const) {
    it(`hand on every unit of ${codec} and Opus with its time`, async () => {
      const [origin, other] = [await startWebRtc(), await startWebRtc()]
      const live = await LiveStream.start(origin, 'live/a', codec)
      startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
      startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
      const seen = await Promise.all(['live/pulled', 'live/pushed'].map((path) => SeenStream.of(other, path)))
      const haveAll = () => seen.every((one) => one.keys('video').length > PICTURES)
      await waitFor(haveAll, { what: 'pictures by both ways' })
      live.pause()
      const { sent } = live
      const areLast = () =>
        seen.every((one) => one.keys('video').at(-1) === sent.video.at(-1) && one.keys('audio').at(-1) === sent.audio.at(-1))
      await waitFor(areLast, { what: 'the last units' })
      for (const one of seen) {
        for (const kind of ['video', 'audio'] as const) {
          const keys = one.keys(kind)
          expect(keys.length).to.be.above(1)
          expect(keys).to.eql(sent[kind].slice(-keys.length))
          expect(new Set(one.steps(kind))).to.eql(new Set([20]))
        }
        expect(one.lostUnits).to.equal(0)
      }
      expect([...origin.problems, ...other.problems]).to.eql([])
    })
  }
})
