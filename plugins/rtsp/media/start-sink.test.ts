import { expect } from 'chai'
import { StartSink } from './start-sink.ts'

describe('StartSink', () => {
  it('keeps what comes until it is let go, in order, and counts it', () => {
    const written: string[] = []
    const sink = new StartSink({ queuedBytes: 5, write: (bytes) => void written.push(bytes.toString()) })
    sink.write(Buffer.from('ab'))
    sink.write(Buffer.from('c'))
    expect([sink.queuedBytes, sink.kept.length, written.length]).to.eql([8, 2, 0])
    sink.release()
    sink.write(Buffer.from('d'))
    expect(written).to.eql(['ab', 'c', 'd'])
    expect([sink.queuedBytes, sink.kept.length]).to.eql([5, 0])
  })
})
