import { expect } from 'chai'
import { AccessUnit, type Track } from 'sluice/sdk'
import { FMP4_FORMAT } from 'sluice/sdk/media'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { frameFmp4Message } from './frame-message.ts'

const VIDEO: Track = { ...SCRIPTED_VIDEO, id: 0 }
const AUDIO: Track = { ...SCRIPTED_AUDIO, id: 1 }
const TEXT = 0x81
const BINARY = 0x82

/** The texts of WebSocket messages of fewer than 126 bytes, and `binary` for each that follows. */
function messagesOf(bytes: Buffer): string[] {
  if (bytes[0] !== TEXT) return bytes[0] === BINARY ? ['binary'] : ['?']
  const end = 2 + (bytes[1] ?? 0)
  return [bytes.toString('latin1', 2, end), ...messagesOf(bytes.subarray(end))]
}

describe('frameFmp4Message', () => {
  it('says the type before each init segment, and not before fragments', () => {
    const muxer = FMP4_FORMAT.createMuxer()
    const first = muxer.start({ tracks: [AUDIO], metadata: {} })
    muxer.start({ tracks: [AUDIO, VIDEO], metadata: {} })
    const renewed = muxer.configure(VIDEO, 0)!
    const fragment = muxer.mux(AccessUnit.fromData(VIDEO, 0, 0, true, Buffer.from('0000000165', 'hex')))!
    const writes = [first, renewed, Buffer.concat([renewed, fragment]), fragment]
    expect(writes.map((bytes) => messagesOf(frameFmp4Message(bytes)))).to.eql([
      ['audio/mp4; codecs="mp4a.40.2"', 'binary'],
      ['video/mp4; codecs="avc1.64000d,mp4a.40.2"', 'binary'],
      ['video/mp4; codecs="avc1.64000d,mp4a.40.2"', 'binary'],
      ['binary'],
    ])
  })
})
