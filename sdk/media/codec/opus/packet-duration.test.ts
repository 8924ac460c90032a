import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { opusPacketDuration } from './packet-duration.ts'

const cases = [
  { name: 'CELT of 20 ms (libopus)', hex: 'fcb406', samples: 960 },
  { name: 'CELT of 2.5 ms', hex: '80', samples: 120 },
  { name: 'CELT of 5 ms', hex: '88', samples: 240 },
  { name: 'CELT of 10 ms', hex: '90', samples: 480 },
  { name: 'hybrid of 10 ms', hex: '60', samples: 480 },
  { name: 'hybrid of 20 ms', hex: '78', samples: 960 },
  { name: 'SILK of 10 ms', hex: '00', samples: 480 },
  { name: 'SILK of 60 ms', hex: '18', samples: 2880 },
  { name: 'SILK of 40 ms, wide band', hex: '50', samples: 1920 },
  { name: 'two equal frames', hex: 'fd', samples: 1920 },
  { name: 'two frames of different sizes', hex: 'fe', samples: 1920 },
  { name: 'three frames', hex: 'ff03', samples: 2880 },
  { name: 'three frames with padding and variable bitrate', hex: 'ffc3', samples: 2880 },
  { name: '48 frames of 2.5 ms', hex: '8330', samples: 5760 },
]

describe('opusPacketDuration', () => {
  for (const { name, hex, samples } of cases) {
    it(`is ${samples} for ${name}`, () => expect(opusPacketDuration(Buffer.from(hex, 'hex'))).to.equal(samples))
  }

  it('refuses packets that are empty, without frames or too long', () => {
    for (const hex of ['', 'ff', 'ff00', '1b03', '8331']) {
      expect(() => opusPacketDuration(Buffer.from(hex, 'hex')), hex).to.throw(MalformedError)
    }
  })
})
