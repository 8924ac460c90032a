import { expect } from 'chai'
import fc from 'fast-check'
import { splitLengthPrefixed } from 'sluice/sdk/media'
import { findMarkers, MARKER_SIZE_BYTES, parseMarker, serializeMarker } from './marker.ts'

const FRAME = Buffer.from('0000000465889911', 'hex')

describe('marker', () => {
  it('comes back from the start of an access unit', () => {
    const clock = fc.bigInt({ min: 0n, max: 2n ** 63n })
    const sequence = fc.integer({ min: 0, max: 0xff_ff_ff_ff })
    fc.assert(
      fc.property(clock, sequence, (clockNs, sequence) => {
        const bytes = serializeMarker({ clockNs, sequence })
        expect(bytes).to.have.length(MARKER_SIZE_BYTES)
        expect(parseMarker(Buffer.concat([bytes, FRAME]))).to.eql({ clockNs, sequence })
      }),
    )
  })

  it('is a NAL unit of its own', () => {
    const bytes = serializeMarker({ clockNs: 1n, sequence: 2 })
    const [marker, frame] = splitLengthPrefixed(Buffer.concat([bytes, FRAME]), 4)
    expect(marker).to.have.length(MARKER_SIZE_BYTES - 4)
    expect(frame).to.eql(FRAME.subarray(4))
  })

  it('is found wherever it is in a piece of media', () => {
    const markers = [1, 2, 3].map((sequence) => ({ clockNs: BigInt(sequence) << 40n, sequence }))
    const media = Buffer.concat(markers.flatMap((marker) => [FRAME, serializeMarker(marker), FRAME]))
    expect(findMarkers(media)).to.eql(markers)
    expect(findMarkers(media.subarray(0, media.length - FRAME.length - 2))).to.eql(markers.slice(0, 2))
    expect(findMarkers(FRAME)).to.eql([])
  })

  it('is not seen in anything else', () => {
    const marker = serializeMarker({ clockNs: 1n, sequence: 2 })
    expect(parseMarker(FRAME)).to.equal(null)
    expect(parseMarker(marker.subarray(0, -1))).to.equal(null)
    expect(parseMarker(Buffer.concat([FRAME, marker]))).to.equal(null)
    fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => parseMarker(Buffer.from(bytes)) === null))
  })
})
