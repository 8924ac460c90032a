import { expect } from 'chai'
import { parseSdp } from 'sluice/sdk/media'
import { receivableFormat } from './receivable-format.ts'

const PARAMETERS = Array.from({ length: 5000 }, (_, number) => `p${number}=1`).join(';')

const problems: { name: string; media: string; problem: string }[] = [
  {
    name: 'a format that nobody knows here',
    media: 'm=video 0 RTP/AVP 96\na=rtpmap:96 H266/90000',
    problem: 'video H266/90000: RTP payloads of H266 are not supported',
  },
  {
    name: 'a payload type without a format',
    media: 'm=audio 0 RTP/AVP 97',
    problem: 'audio RTP/AVP 97: no rtpmap says what it is',
  },
  {
    name: 'no RTP',
    media: 'm=application 9 UDP/DTLS/SCTP x',
    problem: 'application UDP/DTLS/SCTP x: it is not carried by RTP',
  },
  {
    name: 'too many parameters',
    media: `m=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=fmtp:96 ${PARAMETERS}`,
    problem: 'video RTP/AVP 96: fmtp of more than 256 parameters',
  },
  {
    name: 'an endless name, and one that is not printable',
    media: `m=video 0 RTP/AVP 96\na=rtpmap:96 \x01${'X'.repeat(500)}/90000`,
    problem: `video ${'X'.repeat(39)}/90000: RTP payloads of  ${'X'.repeat(103)}`,
  },
]

describe('receivableFormat', () => {
  const formatOf = (media: string) => receivableFormat(parseSdp(`v=0\n${media}\n`).media[0]!)

  it('finds the first that can be received', () => {
    const { format } = formatOf('m=audio 0 RTP/AVP 99 8 0\na=rtpmap:99 iLBC/8000')
    expect(format).to.include({ payloadType: 8, encodingName: 'PCMA' })
  })

  for (const { name, media, problem } of problems) {
    it(`says of ${name} why it can't be`, () => {
      expect(formatOf(media)).to.eql({ problem })
    })
  }
})
