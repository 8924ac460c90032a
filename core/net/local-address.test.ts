import type { NetworkInterfaceInfo } from 'node:os'
import { expect } from 'chai'
import { machineAddresses } from './local-address.ts'

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

function entry(family: 'IPv4' | 'IPv6', address: string, internal: boolean): NetworkInterfaceInfo {
  const common = { address, netmask: '', mac: '', internal, cidr: null }
  return family === 'IPv4' ? { ...common, family } : { ...common, family, scopeid: 0 }
}
