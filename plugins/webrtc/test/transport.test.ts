import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { TransportRig, type RiggedTransport } from '../fixtures/transport-rig.ts'
import { WeriftPeer, type WeriftPeerOptions } from '../fixtures/werift-peer.ts'
import { rtpPacket } from '../fixtures/werift-srtp.ts'

const RECEIVER_REPORT = Buffer.from([0x80, 201, 0, 1, 0, 0, 0, 7])

describe('the transport of a WebRTC peer', () => {
  let rig: TransportRig

  async function start(ports?: readonly string[]): Promise<TransportRig> {
    rig = await TransportRig.start(ports)
    keep({ close: () => rig.stop() })
    return rig
  }

  /** Both ends, connected. */
  async function connected(options: WeriftPeerOptions = {}): Promise<RiggedTransport & { readonly peer: WeriftPeer }> {
    const rigged = await rig.create(options.controlling === false ? 'offerer' : 'answerer')
    const peer = await WeriftPeer.open(options)
    rigged.transport.connect(peer.description)
    const failure = peer.connect(rigged.transport.local)
    await waitFor(() => rigged.record.isConnected || rigged.record.reason !== undefined)
    expect(rigged.record.reason).to.equal(undefined)
    expect(await failure).to.equal(undefined)
    return { ...rigged, peer }
  }

  async function exchangesMedia(
    { transport, record, peer }: RiggedTransport & { readonly peer: WeriftPeer },
    at = 0,
  ): Promise<void> {
    const before = {
      rtp: record.rtpPackets.length,
      sent: peer.rtpPackets.length,
      rtcp: peer.rtcpCount,
      back: record.rtcpPackets.length,
    }
    await peer.sendRtp(at + 1, Buffer.from('from the peer'))
    await peer.sendRtcp()
    for (let index = 0; index < 20; index += 1) {
      const { header, payload } = rtpPacket(at + index, Buffer.alloc(index === 19 ? 300 : 1000, index))
      transport.write(header, header.length, payload)
    }
    transport.flush()
    transport.sendRtcp(RECEIVER_REPORT)
    await waitFor(() => peer.rtpPackets.length === before.sent + 20 && peer.rtcpCount > before.rtcp)
    await waitFor(() => record.rtpPackets.length === before.rtp + 1 && record.rtcpPackets.length > before.back)
    expect(record.rtpPackets.at(-1)?.subarray(12).toString()).to.equal('from the peer')
    expect(peer.rtpPackets.at(-1)?.subarray(12)).to.eql(Buffer.alloc(300, 19))
  }

  for (const controlling of [true, false]) {
    for (const isDtlsClient of [true, false]) {
      it(`connects where the peer is ${controlling ? 'controlling' : 'controlled'} and ${isDtlsClient ? 'active' : 'passive'}`, async () => {
        await start(['udp:0'])
        const ends = await connected({ controlling, isDtlsClient })
        await exchangesMedia(ends)
        expect(ends.transport.status).to.include({ state: 'connected', profile: 'SRTP_AEAD_AES_128_GCM' })
        expect(ends.transport.status.pair).to.match(/^udp \S+:\d+ 127\.0\.0\.1:\d+$/)
      })
    }
  }

  it('connects over TCP', async () => {
    await start(['tcp:0'])
    const ends = await connected({ useTcp: true })
    await exchangesMedia(ends)
    expect(ends.transport.status.pair).to.match(/^tcp \S+:\d+ 127/)
  })

  it('connects over IPv6', async () => {
    await start(['udp:0'])
    const ends = await connected({ addresses: ['::1'] })
    await exchangesMedia(ends)
    expect(ends.transport.status.pair).to.match(/^udp \[\S+\]:\d+ \[::1\]:\d+$/)
  })

  it('takes AES-CM where the peer has no other profile', async () => {
    await start(['udp:0'])
    const ends = await connected({ profiles: [1] })
    await exchangesMedia(ends)
    expect(ends.transport.status.profile).to.equal('SRTP_AES128_CM_HMAC_SHA1_80')
  })

  it('has a port for each session of a range, which is free again afterwards', async () => {
    await start(['udp:41200-41299'])
    const ends = await connected()
    await exchangesMedia(ends)
    expect(ends.transport.status.pair).to.match(/^udp \S+:412\d\d 127/)
  })
})
