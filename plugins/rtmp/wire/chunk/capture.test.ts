import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { loadCapture, loadChunks } from '../fixtures/capture.ts'
import { bytewise, readAll } from '../fixtures/read-all.ts'
import { parseMessage } from '../message/message.ts'
import { ChunkReader } from './chunk-reader.ts'

describe('ChunkReader on captures', () => {
  const captures = [
    { name: 'ffmpeg-publish', bytes: loadCapture('ffmpeg-publish.received').chunks },
    { name: 'gstreamer-publish', bytes: loadCapture('gstreamer-publish.received').chunks },
    { name: 'librtmp-publish', bytes: loadChunks('librtmp-publish') },
    { name: 'ffmpeg-extended-timestamp', bytes: loadChunks('ffmpeg-extended-timestamp') },
    { name: 'nginx-play', bytes: loadCapture('nginx-play.received').chunks },
  ]

  for (const { name, bytes } of captures) {
    it(`reads ${name} the same in any pieces`, () => {
      const whole = readAll([bytes])
      expect(whole.length).to.be.above(10)
      expect(readAll(bytewise(bytes))).to.deep.equal(whole)
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
          const ends = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
          expect(readAll(ends.slice(1).map((end, i) => bytes.subarray(ends[i], end)))).to.deep.equal(whole)
        }),
        { numRuns: rounds(30) },
      )
      expect(whole.every((message) => parseMessage(message) !== null)).to.equal(true)
    })
  }

  it('finds the commands and times of ffmpeg', () => {
    const messages = readAll([loadCapture('ffmpeg-publish.received').chunks])
    const commands = messages
      .map(parseMessage)
      .flatMap((message) => (message?.kind === 'command' ? [message.name] : []))
    expect(commands.slice(0, 5)).to.deep.equal(['connect', 'releaseStream', 'FCPublish', 'createStream', 'publish'])
    const videoTimes = messages.filter(({ typeId }) => typeId === 9).map(({ timestamp }) => timestamp)
    expect(videoTimes).to.deep.equal([0, 0, 40, 80, 120, 160, 200, 240, 280, 320, 360, 360])
  })

  it('finds the extended times of ffmpeg, repeated in every chunk of a message', () => {
    const video = readAll([loadChunks('ffmpeg-extended-timestamp')]).filter(({ typeId }) => typeId === 9)
    expect(video.map(({ timestamp, payload }) => [timestamp, payload.length])).to.deep.equal([
      [0, 50],
      [19_999_920, 1220],
      [19_999_960, 47],
      [20_000_000, 17],
      [20_000_040, 17],
      [20_000_080, 17],
      [20_000_080, 5],
    ])
  })

  it('follows the chunk size that nginx-rtmp sets', () => {
    const reader = new ChunkReader()
    readAll([loadCapture('nginx-play.received').chunks], reader)
    expect(reader.chunkSizeBytes).to.equal(4096)
  })
})
