import { expect } from 'chai'
import { rejectionOf } from '../../test/support/rejection.ts'
import { LoginLimits, networkOf } from './login-limits.ts'
import { TooManyLogins } from './login-errors.ts'

const BY_ADDRESS = 20
const BY_NAME = 100

describe('the limits of logins', () => {
  let limits: LoginLimits
  beforeEach(() => {
    limits = new LoginLimits()
  })

  const fail = async (times: number, ip: (index: number) => string, name: (index: number) => string) => {
    for (let index = 0; index < times; index++) await limits.count(ip(index), name(index))
  }

  it('hold for an address, whatever names it tries', async () => {
    await fail(
      BY_ADDRESS,
      () => '192.0.2.1',
      (index) => `name-${index}`,
    )
    const error = await rejectionOf(limits.count('192.0.2.1', 'other'))
    expect(error).to.be.instanceOf(TooManyLogins).and.include({ statusCode: 429 })
    expect(Number((error as TooManyLogins).headers['retry-after'])).to.be.within(1, 600)
    await limits.count('192.0.2.2', 'other')
  })

  it('hold for a network of IPv6', async () => {
    await fail(
      BY_ADDRESS,
      (index) => `2001:db8:0:1::${index + 1}`,
      (index) => `name-${index}`,
    )
    await rejectionOf(limits.count('2001:db8::1:aaaa:bbbb:cccc:dddd', 'other'))
    await limits.count('2001:db8:0:2::1', 'other')
  })

  it('hold for a name, from wherever it is tried', async () => {
    await fail(
      BY_NAME,
      (index) => `192.0.2.${index}`,
      () => 'admin',
    )
    await rejectionOf(limits.count('198.51.100.1', 'admin'))
    await limits.count('198.51.100.1', 'other')
  })

  it('count those under way, and not those that did not fail', async () => {
    for (let index = 0; index < 2 * BY_NAME; index++) await (await limits.count('192.0.2.1', 'admin'))()
    await fail(
      BY_ADDRESS,
      () => '192.0.2.1',
      () => 'admin',
    )
    await rejectionOf(limits.count('192.0.2.1', 'admin'))
  })

  it('keep account of so many addresses and names at most, the latest', async () => {
    await fail(
      BY_ADDRESS,
      () => '192.0.2.1',
      (index) => `name-${index}`,
    )
    await fail(
      9_999,
      (index) => `10.0.${index >> 8}.${index & 255}`,
      (index) => `other-${index}`,
    )
    await rejectionOf(limits.count('192.0.2.1', 'name'))
    await fail(
      10_000,
      (index) => `10.1.${index >> 8}.${index & 255}`,
      (index) => `more-${index}`,
    )
    // It was forgotten: had all been kept, a flood would take any amount of memory.
    await limits.count('192.0.2.1', 'name')
  })

  const networks = [
    { ip: '192.0.2.1', network: '192.0.2.1' },
    { ip: '2001:db8:1:2:3:4:5:6', network: '2001:db8:1:2' },
    { ip: '2001:0DB8:1::6', network: '2001:db8:1:0' },
    { ip: '::1', network: '0:0:0:0' },
    { ip: '1::', network: '1:0:0:0' },
    { ip: '::2:3:4:5:6', network: '0:0:0:2' },
    { ip: 'fe80::1%eth0', network: 'fe80:0:0:0' },
  ]
  for (const { ip, network } of networks) {
    it(`take ${ip} for ${network}`, () => expect(networkOf(ip)).to.equal(network))
  }
})
