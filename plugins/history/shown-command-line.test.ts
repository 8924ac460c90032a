import { expect } from 'chai'
import { shownCommandLine } from './shown-command-line.ts'

describe('a command line as operators may see it', () => {
  const cases = [
    { args: ['node', 'bin/sluice.js', '-c', 'config.yaml'], shown: 'node bin/sluice.js -c config.yaml' },
    { args: ['node', 'a b.js'], shown: 'node "a b.js"' },
    { args: ['sluice', '--token=hush', '--api-key=hush'], shown: 'sluice --token=****** --api-key=******' },
    { args: ['sluice', '--password', 'hush', '--key', 'hush'], shown: 'sluice --password ****** --key ******' },
    { args: ['sluice', '--password', '--all'], shown: 'sluice --password --all' },
    { args: ['SLUICE_RTMP_PUBLISH_KEY=hush', 'sluice'], shown: 'SLUICE_RTMP_PUBLISH_KEY=****** sluice' },
    { args: ['sluice', 'postgres://me:hush@db/x?a=hush'], shown: 'sluice postgres://******@db/x?a=******' },
    { args: ['sluice', '--url=rtmp://me:hush@host/a'], shown: 'sluice --url=rtmp://******@host/a' },
    { args: ['sluice', '--monkey=banana', '--keyframes=2'], shown: 'sluice --monkey=banana --keyframes=2' },
  ]
  for (const { args, shown } of cases) it(shown, () => expect(shownCommandLine(args)).to.equal(shown))

  it('is cut', () =>
    expect(shownCommandLine(['x'.repeat(100), ...Array(100).fill('y'.repeat(100))])).to.have.length(2000))
})
