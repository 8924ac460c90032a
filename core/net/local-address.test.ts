import type { NetworkInterfaceInfo } from 'node:os'
import { expect } from 'chai'
import { addressToward, machineAddresses } from './local-address.ts'

const NONE = { publicip: '', publicipv6: '' }

describe('machineAddresses', () => {
  it('has those that others reach, IPv4 first, and those of one link not at all', () => {
    const interfaces = [
      entry('IPv6', 'fe80::1', false),
      entry('IPv6', '2001:db8::2', false),
      entry('IPv4', '169.254.7.7', false),
      entry('IPv4', '192.0.2.2', false),
      entry('IPv4', '127.0.0.1', true),
      entry('IPv6', '::1', true),
    ]
    expect(machineAddresses(NONE, interfaces)).to.eql({
      outward: ['192.0.2.2', '2001:db8::2'],
      loopback: ['127.0.0.1', '::1'],
      publicIpv4: undefined,
      publicIpv6: undefined,
    })
  })

  it('has the public ones of the config, where these are addresses', () => {
    const addresses = machineAddresses({ publicip: '198.51.100.7', publicipv6: '2001:db8::7' }, [])
    expect(addresses).to.include({ publicIpv4: '198.51.100.7', publicIpv6: '2001:db8::7' })
    const names = machineAddresses({ publicip: 'media.example', publicipv6: '198.51.100.7' }, [])
    expect(names).to.include({ publicIpv4: undefined, publicIpv6: undefined })
  })
})

describe('addressToward', () => {
  for (const [peer, expected] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.1.2.3', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
  ] as const) {
    it(`is ${expected} for ${peer}`, async () => expect(await addressToward(peer)).to.equal(expected))
  }

  it('is one of this machine for each of its own', async () => {
    const { outward } = machineAddresses(NONE)
    for (const address of outward) expect(await addressToward(address)).to.equal(address)
  })

  for (const text of ['', 'localhost', '1.2.3', '127.0.0.1:80', '[::1]']) {
    it(`refuses ${JSON.stringify(text)}`, async () => {
      const error: unknown = await addressToward(text).catch((reason: unknown) => reason)
      expect(error).to.have.property('message', 'the address of the peer is no IP address')
    })
  }

  it('says when there is no way to an address', async () => {
    // Of one link, but which is not said.
    const error: unknown = await addressToward('fe80::1').catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(Error)
  })
})

function entry(family: 'IPv4' | 'IPv6', address: string, internal: boolean): NetworkInterfaceInfo {
  const common = { address, netmask: '', mac: '', internal, cidr: null }
  return family === 'IPv4' ? { ...common, family } : { ...common, family, scopeid: 0 }
}
