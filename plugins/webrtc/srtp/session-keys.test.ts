import { expect } from 'chai'
import { deriveSessionKeys } from './session-keys.ts'

describe('SRTP session keys', () => {
  it('are those of RFC 3711 B.3', () => {
    const keys = deriveSessionKeys(
      {
        profile: 'SRTP_AES128_CM_HMAC_SHA1_80',
        masterKey: Buffer.from('E1F97A0D3E018BE0D64FA32C06DE4139', 'hex'),
        masterSalt: Buffer.from('0EC675AD498AFEEBB6960B3AABE6', 'hex'),
      },
      'rtp',
    )
    expect(keys.cipherKey.toString('hex')).to.equal('c61e7a93744f39ee10734afe3ff7a087')
    expect(keys.salt.toString('hex')).to.equal('30cbbc08863d8c85d49db34a9ae1')
    expect(keys.authKey.toString('hex')).to.equal('cebe321f6ff7716b6fd4ab49af256a156d38baa4')
  })

  it('are not made of keys of another size', () => {
    const masterKey = Buffer.alloc(16)
    const wrong = [
      { profile: 'SRTP_AEAD_AES_128_GCM', masterKey, masterSalt: Buffer.alloc(14) },
      { profile: 'SRTP_AES128_CM_HMAC_SHA1_80', masterKey, masterSalt: Buffer.alloc(12) },
      { profile: 'SRTP_AEAD_AES_128_GCM', masterKey: Buffer.alloc(32), masterSalt: Buffer.alloc(12) },
    ] as const
    for (const keys of wrong) expect(() => deriveSessionKeys(keys, 'rtp')).to.throw(RangeError)
  })
})
