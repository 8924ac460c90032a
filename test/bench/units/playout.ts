import { AccessUnit, rtpFormatOfTrack } from 'sluice/sdk/media'
import { SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import { RegistryRig } from '../../../core/stream/fixtures/registry-rig.ts'
import { Playout } from '../../../plugins/webrtc/media/playout.ts'
import { MAX_PAYLOAD_BYTES } from '../../../plugins/webrtc/media/unit-packets.ts'
import type { NegotiatedMedia } from '../../../plugins/webrtc/sdp/negotiated-media.ts'
import type { UnitBench } from './unit-bench.ts'

const VIEWERS = 200
/** A picture of 2 Mbit/s, 30 times a second. */
const PACKETS = 8
const PICTURES = 50
const GROUP_PICTURES = 60
const TICKS_PER_PICTURE = 3000
const KEYFRAME = Buffer.alloc(PACKETS * (MAX_PAYLOAD_BYTES - 2), 0x65)
const PICTURE = Buffer.alloc(KEYFRAME.length, 0x41)

/** From a publisher to viewers of WebRTC whose transports do nothing: headers, histories and reports. */
export async function playoutBench(): Promise<UnitBench> {
  const rig = new RegistryRig({ publish: { publishtimeout: '1h' } })
  const publisher = await rig.publish('live/bench')
  const track = publisher.addTrack(SCRIPTED_VIDEO)
  publisher.tracksComplete()
  for (let index = 0; index < VIEWERS; index++) {
    const subscriber = await rig.subscribe('live/bench')
    const playout = new Playout({
      medias: [videoOf(index)],
      transport: { write: () => {}, flush: () => {}, sendRtcp: () => {} },
      subscriber,
      timers: { setTimeout: () => () => {} },
      now: Date.now,
      log: { warn: () => {} },
      bframes: 'drop',
      cname: 'bench',
    })
    playout.start()
  }
  let pictures = 0
  return {
    name: `a packet to one of ${VIEWERS} WebRTC viewers`,
    units: VIEWERS * PICTURES * PACKETS,
    run: () => {
      for (let count = 0; count < PICTURES; count++, pictures++) {
        const isKey = pictures % GROUP_PICTURES === 0
        const times = pictures * TICKS_PER_PICTURE
        publisher.write(AccessUnit.fromNalus(track, times, times, isKey, [isKey ? KEYFRAME : PICTURE]))
      }
    },
  }
}

function videoOf(index: number): NegotiatedMedia {
  const format = rtpFormatOfTrack({ ...SCRIPTED_VIDEO, id: 0 }, 96)!
  return {
    kind: 'video',
    index: 0,
    mid: '0',
    direction: 'send',
    formats: [{ format, feedback: new Set(['nack', 'nack pli', 'goog-remb']), rtxPayloadType: 97 }],
    extensions: new Map([['absoluteSendTime', 3]]),
    sources: [{ ssrc: index * 2 + 1, rtxSsrc: index * 2 + 2 }],
    rids: [],
  }
}
