import { expect } from 'chai'
import { parseCommandLine, USAGE } from './command-line.ts'

describe('the command line', () => {
  const service = (...args: readonly string[]) => parseCommandLine(['service', ...args])

  it('asks for a service, of the machine or of whoever asks', () => {
    const all = ['-c', 'a.yaml', '--recordings', '/srv/r', '--user', '--print', '--force']
    expect(service('install', ...all)).to.eql({
      kind: 'service',
      configFile: 'a.yaml',
      action: { verb: 'install', isOwn: true, print: true, force: true, recordings: '/srv/r' },
    })
    expect(service('show')).to.deep.include({ kind: 'service', action: { verb: 'show', isOwn: false } })
    expect(service('remove', '--force')).to.deep.include({ action: { verb: 'remove', isOwn: false, force: true } })
    expect(USAGE).to.include('sluice service install').and.include('--recordings')
  })

  for (const { args, says } of [
    { args: [], says: 'unknown argument "service"' },
    { args: ['start'], says: 'unknown argument "service start"' },
    { args: ['show', '--force'], says: '--force is not for service show' },
    { args: ['install', 'x'], says: 'unknown argument "x"' },
  ]) {
    it(`refuses "service ${args.join(' ')}"`, () => {
      expect(service(...args)).to.eql({ kind: 'usage-error', message: says })
    })
  }
})
