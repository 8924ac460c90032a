import { expect } from 'chai'
import { addressTemplates } from './address-templates.ts'

describe('addressTemplates', () => {
  const cases = [
    { listenaddr: ':8080', listenaddrtls: '', expected: ['http://{hostName}:8080/p', 'ws://{hostName}:8080/p'] },
    { listenaddr: ':80', listenaddrtls: '', expected: ['http://{hostName}/p', 'ws://{hostName}/p'] },
    { listenaddr: '', listenaddrtls: '[::1]:443', expected: ['https://{hostName}/p', 'wss://{hostName}/p'] },
    { listenaddr: '', listenaddrtls: '127.0.0.1:80', expected: ['https://{hostName}:80/p', 'wss://{hostName}:80/p'] },
    { listenaddr: '', listenaddrtls: '', expected: [] },
  ]
  for (const { expected, ...config } of cases) {
    it(`has ${expected.length === 0 ? 'none' : expected.join(', ')}`, () => {
      expect(addressTemplates(config, '/p', ['http', 'ws'])).to.eql(expected)
    })
  }

  it('leaves out the port of RTMP', () => {
    const addresses = addressTemplates({ listenaddr: ':1935', listenaddrtls: ':1936' }, '/{streamPath}', ['rtmp'])
    expect(addresses).to.eql(['rtmp://{hostName}/{streamPath}', 'rtmps://{hostName}:1936/{streamPath}'])
  })
})
