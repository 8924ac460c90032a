import { expect } from 'chai'
import { RecordingSink } from '../../container/flv/fixtures/recording-sink.ts'
import { parseRtcp, type RtcpPacket } from '../rtcp/compound.ts'
import type { ReportBlock } from '../rtcp/report-block.ts'
import { RtpFeedback } from './feedback.ts'
import { KeyframeRequester } from './keyframe-requester.ts'
import { MissingPackets } from './missing-packets.ts'
import { sumReceptions } from './reception-counts.ts'
import { serializeRtpGoodbye, serializeRtpReport } from './reports.ts'

const SSRC = 7
const MEDIA_SSRC = 9
const EMPTY: RtcpPacket = { kind: 'receiverReport', ssrc: SSRC, reports: [] }
const PLI: RtcpPacket = { kind: 'pictureLossIndication', senderSsrc: SSRC, mediaSsrc: MEDIA_SSRC }
const NAME: RtcpPacket = {
  kind: 'sourceDescription',
  chunks: [{ ssrc: SSRC, items: [{ type: 1, text: 'here' }] }],
}
const BLOCK: ReportBlock = {
  ssrc: MEDIA_SSRC,
  fractionLost: 64,
  cumulativeLost: 3,
  highestSequenceNumber: 100,
  jitter: 5,
  lastSenderReport: 0,
  delaySinceLastSenderReport: 0,
}

function feedbackOf(reducedSize: boolean) {
  const said: RtcpPacket[][] = []
  const send = (packet: Buffer) => void said.push(parseRtcp(packet))
  return { said, feedback: new RtpFeedback({ ssrc: SSRC, cname: 'here', reducedSize, send }) }
}

function neededKeyframe(): KeyframeRequester {
  const keyframes = new KeyframeRequester({ sink: new RecordingSink(), minIntervalMs: 1000, maxAgeMs: 0 })
  keyframes.need()
  return keyframes
}

const fir = (sequenceNumber: number): RtcpPacket => ({
  kind: 'fullIntraRequest',
  senderSsrc: SSRC,
  requests: [{ ssrc: MEDIA_SSRC, sequenceNumber }],
})

const CASES: readonly {
  name: string
  reducedSize?: boolean
  act: (feedback: RtpFeedback) => void
  said: readonly (readonly RtcpPacket[])[]
}[] = [
  { name: 'a report with its name', act: (it) => it.report([BLOCK]), said: [[{ ...EMPTY, reports: [BLOCK] }, NAME]] },
  { name: 'a report of nothing', act: (it) => it.report([]), said: [[EMPTY, NAME]] },
  { name: 'more in the same packet', act: (it) => it.report([], PLI), said: [[EMPTY, NAME, PLI]] },
  { name: 'feedback behind a report', act: (it) => it.tell(PLI), said: [[EMPTY, PLI]] },
  { name: 'feedback alone', reducedSize: true, act: (it) => it.tell(PLI), said: [[PLI]] },
  {
    name: 'keyframes by PLI, as often as they are due',
    reducedSize: true,
    act(it) {
      const keyframes = neededKeyframe()
      for (let nowMs = 0; nowMs <= 1000; nowMs += 20) it.askForKeyframe(MEDIA_SSRC, keyframes, nowMs)
    },
    said: [[PLI], [PLI]],
  },
  {
    name: 'keyframes by FIR, each with another number',
    reducedSize: true,
    act(it) {
      const keyframes = neededKeyframe()
      for (const nowMs of [0, 500, 1000]) it.askForKeyframe(MEDIA_SSRC, keyframes, nowMs, 'fir')
    },
    said: [[fir(1)], [fir(2)]],
  },
  {
    name: 'packets that are missing, once in a round trip',
    reducedSize: true,
    act(it) {
      const missing = new MissingPackets(500, 2048)
      for (const number of [65_534, 1]) missing.receive(number, 0)
      for (const nowMs of [0, 20]) it.askForPackets(MEDIA_SSRC, missing, nowMs)
    },
    said: [[{ kind: 'genericNack', senderSsrc: SSRC, mediaSsrc: MEDIA_SSRC, sequenceNumbers: [65_535, 0] }]],
  },
]

describe('RtpFeedback', () => {
  for (const { name, reducedSize = false, act, said: expected } of CASES) {
    it(`says ${name}`, () => {
      const { said, feedback } = feedbackOf(reducedSize)
      act(feedback)
      expect(said).to.eql(expected)
    })
  }

  it('counts what it has asked for', () => {
    const { feedback } = feedbackOf(true)
    const missing = new MissingPackets(500, 2048)
    for (const number of [1, 5, 7]) missing.receive(number, 0)
    feedback.askForPackets(MEDIA_SSRC, missing, 0)
    feedback.askForKeyframe(MEDIA_SSRC, neededKeyframe(), 0)
    expect(feedback).to.include({ requestedPackets: 4, requestedKeyframes: 1 })
  })
})

describe('the reports of a sender', () => {
  const report = {
    kind: 'senderReport',
    ssrc: SSRC,
    ntpMs: 17e11,
    rtpTimestamp: 5,
    packetCount: 1,
    octetCount: 2,
  } as const

  it('have its name', () => {
    expect(parseRtcp(serializeRtpReport({ ...report, reports: [] }, 'here'))).to.eql([{ ...report, reports: [] }, NAME])
  })

  it('end with a goodbye of all its streams, behind an empty report', () => {
    const goodbye = { kind: 'bye', ssrcs: [SSRC, MEDIA_SSRC], reason: '' }
    expect(parseRtcp(serializeRtpGoodbye(SSRC, MEDIA_SSRC))).to.eql([EMPTY, goodbye])
  })
})

describe('sumReceptions', () => {
  it('adds up what became of packets', () => {
    const none = { receivedPackets: 0, lostPackets: 0, reorderedPackets: 0, duplicatePackets: 0, brokenPackets: 0 }
    const one = { receivedPackets: 1, lostPackets: 2, reorderedPackets: 3, duplicatePackets: 4, brokenPackets: 5 }
    const both = { receivedPackets: 2, lostPackets: 4, reorderedPackets: 6, duplicatePackets: 8, brokenPackets: 10 }
    expect(sumReceptions([])).to.eql(none)
    expect(sumReceptions([one, none, one])).to.eql(both)
  })
})
