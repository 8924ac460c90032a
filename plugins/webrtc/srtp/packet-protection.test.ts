import { expect } from 'chai'
import { createPacketArena } from 'sluice/sdk'
import type { CipherLibrary } from './cipher-library.ts'
import { cryptoLibrary } from './crypto-library.ts'
import { GcmProtection } from './gcm-protection.ts'
import { loadNativeLibrary } from './native-library.ts'

const NATIVE = loadNativeLibrary()
const LIBRARIES: CipherLibrary[] = NATIVE === undefined ? [cryptoLibrary] : [cryptoLibrary, NATIVE]

/** RFC 7714 16: the key and salt are those of the session. */
const GCM_KEYS = {
  cipherKey: hex('000102030405060708090a0b0c0d0e0f'),
  salt: hex('517569642070726f2071756f'),
  authKey: hex(''),
}
const GCM_RTP = {
  ssrc: 0x5501a0b2,
  index: 0xf17b,
  clear: hex('8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573'),
  sealed: hex(
    '8040f17b8041f8d35501a0b2f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833899d7f27beb16a9152cf765ee4390cce',
  ),
}
const GCM_RTCP = {
  ssrc: 0x4d617273,
  index: 0x5d4,
  clear: hex(
    '81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
  ),
  sealed: hex(
    '81c8000d4d61727363e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275bc84aa45896cf4d2fc5abf87245d9eade800005d4',
  ),
}

/** RFC 3711 B.2: blocks of the keystream. */
const COUNTER_KEY = hex('2b7e151628aed2a6abf7158809cf4f3c')
const COUNTER_IV = hex('f0f1f2f3f4f5f6f7f8f9fafbfcfd0000')
const KEYSTREAM = [
  [0, 'e03ead0935c95e80e166b16dd92b4eb4'],
  [1, 'd23513162b02d0f72a43a2fe4a5f97ab'],
  [2, '41e95b3bb0a2e8dd477901e4fca894c0'],
  [0xfeff, 'ec8cdf7398607cb0f2d21675ea9ea1e4'],
  [0xff00, '362b7c3c6773516318a077d7fc5073ae'],
  [0xff01, '6a2cc3787889374fbeb4c81b17ba6c44'],
] as const

for (const library of LIBRARIES) {
  describe(`SRTP by ${library.name}`, () => {
    it('seals and opens the packet of RFC 7714 16.1', () => {
      const { clear, sealed, ssrc, index } = GCM_RTP
      const arena = createPacketArena(256)
      clear.copy(arena.bytes, 7)
      const sealer = new GcmProtection(library, GCM_KEYS, 'seal')
      sealer.sealRtp(arena, 7, 19, 7 + clear.length, ssrc, index)
      sealer.finishRtp()
      expect(arena.bytes.subarray(7, 7 + sealed.length).toString('hex')).to.equal(sealed.toString('hex'))

      const opener = new GcmProtection(library, GCM_KEYS, 'open')
      expect(opener.openRtp(arena, 7, 19, 7 + sealed.length, ssrc, index)).to.equal(true)
      expect(arena.bytes.subarray(7, 7 + clear.length).toString('hex')).to.equal(clear.toString('hex'))
      sealer.close()
      opener.close()
    })

    it('seals and opens the packet of RFC 7714 17.1', () => {
      const { clear, sealed, ssrc, index } = GCM_RTCP
      const sealer = new GcmProtection(library, GCM_KEYS, 'seal')
      const packet = sealer.sealRtcp(clear, ssrc, index)
      expect(packet.toString('hex')).to.equal(sealed.toString('hex'))

      const opener = new GcmProtection(library, GCM_KEYS, 'open')
      expect(opener.openRtcp(packet, ssrc, index)).to.equal(true)
      expect(packet.subarray(0, clear.length).toString('hex')).to.equal(clear.toString('hex'))
      sealer.close()
      opener.close()
    })

    it('has the keystream of RFC 3711 B.2', () => {
      const cipher = library.counter(COUNTER_KEY)
      const arena = createPacketArena(0xff02 * 16 + 3)
      for (const [at, byte] of COUNTER_IV.entries()) cipher.iv.setUint8(at, byte)
      cipher.crypt(arena, 3, arena.bytes.length)
      cipher.finish()
      for (const [block, bytes] of KEYSTREAM) {
        expect(arena.bytes.toString('hex', 3 + block * 16, 19 + block * 16)).to.equal(bytes)
      }
      cipher.close()
    })

    it('has the digest of RFC 2202, again and again', () => {
      const mac = library.mac(Buffer.alloc(20, 0x0b))
      const arena = createPacketArena(32)
      arena.bytes.write('Hi There', 5)
      for (let count = 0; count < 3; count++) {
        expect(mac.digest(arena, 5, 13).toString('hex')).to.equal('b617318655057264e28bc0b6fb378c8ef146be00')
      }
      mac.close()
    })
  })
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex')
}
