import { expect } from 'chai'
import { isNetwork, NetworkList, normalizeIp } from './network-list.ts'

describe('a list of networks', () => {
  const list = new NetworkList(['127.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32', '172.16.0.0/12'])

  for (const ip of ['127.0.0.1', '10.255.0.1', '::1', '2001:db8:1::5', '172.31.255.255']) {
    it(`has ${ip}`, () => expect(list.includes(ip)).to.equal(true))
  }
  for (const ip of ['127.0.0.2', '11.0.0.1', '::2', '2001:db9::1', '172.32.0.0', '', 'unknown', '10.0.0.1/8']) {
    it(`has not '${ip}'`, () => expect(list.includes(ip)).to.equal(false))
  }

  it('has nothing when it is empty', () => {
    expect(new NetworkList([]).includes('127.0.0.1')).to.equal(false)
  })

  it('is of what names a network', () => {
    for (const text of ['127.0.0.1', '::1', '10.0.0.0/8', '0.0.0.0/0', '::/0', '10.0.0.1/32', '::1/128', 'FE80::/10'])
      expect(isNetwork(text), text).to.equal(true)
    for (const text of [
      '',
      'localhost',
      '10.0.0.0/33',
      '10.0.0/8',
      '10.0.0.0/',
      '::/129',
      '1.2.3.4:80',
      '/8',
      '10.0.0.0/8/8',
      'fe80::1%eth0',
    ])
      expect(isNetwork(text), text).to.equal(false)
  })

  it('takes one spelling of an address for all', () => {
    expect(normalizeIp('::ffff:192.0.2.1')).to.equal('192.0.2.1')
    expect(normalizeIp('::ffff:c000:201')).to.equal('192.0.2.1')
    expect(normalizeIp('2001:DB8:0:0:0:0:0:1')).to.equal('2001:db8::1')
    expect(normalizeIp('192.0.2.1')).to.equal('192.0.2.1')
    for (const text of ['', 'unknown', '_hidden', 'fe80::1%eth0', '1.2.3', '1.2.3.4:5']) {
      expect(normalizeIp(text), text).to.equal(undefined)
    }
  })
})
