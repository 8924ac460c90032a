import { expect } from 'chai'
import { shownAddresses } from './visitor-view.ts'

const NONE = { pushAddr: [], playAddr: [], pullAddr: [], downloadAddr: [] }
const LISTEN = { listenaddr: ':8080', listenaddrtls: '0.0.0.0:443' }

describe('addresses that visitors see', () => {
  const cases = [
    { template: 'http://{hostName}:8080/a/{streamPath}.x', shown: { scheme: 'http', address: 'a/{streamPath}.x' } },
    { template: 'wss://{hostName}/a/{streamPath}.x', shown: { scheme: 'ws', address: 'a/{streamPath}.x' } },
    { template: 'http://{hostName}:8081/a', shown: { scheme: 'http', address: 'http://{hostName}:8081/a' } },
    {
      template: 'RTSP://{hostName}/{streamPath}',
      shown: { scheme: 'rtsp', address: 'RTSP://{hostName}/{streamPath}' },
    },
    { template: 'nonsense', shown: { scheme: '', address: 'nonsense' } },
  ]
  for (const { template, shown } of cases) {
    it(`shows ${template} as ${shown.address}`, () => {
      const endpoints = [{ ...NONE, plugin: 'a', playAddr: [template] }]
      expect(shownAddresses(endpoints, 'playAddr', LISTEN)).to.eql([{ plugin: 'a', ...shown }])
    })
  }

  it('shows an address that is there with and without TLS once', () => {
    const playAddr = [
      'http://{hostName}:8080/a',
      'https://{hostName}/a',
      'ws://{hostName}:8080/a',
      'wss://{hostName}/a',
    ]
    const shown = shownAddresses([{ ...NONE, plugin: 'a', playAddr }], 'playAddr', LISTEN)
    expect(shown.map(({ scheme, address }) => `${scheme} ${address}`)).to.eql(['http a', 'ws a'])
  })
})
