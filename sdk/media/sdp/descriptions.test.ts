import { expect } from 'chai'
import type { RtpFormat } from '../rtp/format.ts'
import { cameras } from './fixtures/cameras.ts'
import { captured } from './fixtures/captured.ts'
import { otherDevices } from './fixtures/other-devices.ts'
import { rtpFormatsOf } from './rtp-media.ts'
import { parseSdp, serializeSdp } from './session-description.ts'

function describeFormat({ payloadType, encodingName, clockRate, channels, parameters }: RtpFormat): string {
  const list = [...parameters].map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(';')
  return `${payloadType} ${encodingName}/${clockRate}/${channels} ${list}`
}

describe('descriptions of programs and devices', () => {
  for (const { name, text, changes = [], formats } of [...captured, ...cameras, ...otherDevices]) {
    const description = parseSdp(text)

    it(`keep all that is in them: ${name}`, () => {
      let expected = text
      for (const [part, other] of changes) {
        expect(expected).to.include(part)
        expected = expected.replace(part, other)
      }
      expect(serializeSdp(description)).to.equal(expected.replaceAll('\n', '\r\n'))
    })

    it(`are read with any line ends and blanks: ${name}`, () => {
      for (const end of ['\r', '\r\n', '\n\n', '\0', ' \t\r\n', '\r\n\0']) {
        expect(parseSdp(text.replaceAll('\n', end)), JSON.stringify(end)).to.deep.equal(description)
      }
      expect(parseSdp(`\uFEFF${text}\0\0 \r\n`)).to.deep.equal(description)
    })

    it(`have formats: ${name}`, () => {
      expect(description.media.map((media) => rtpFormatsOf(media).map(describeFormat))).to.deep.equal(formats)
    })
  }
})
