import { PassThrough } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import { expect } from 'chai'
import { Prompt } from './prompt.ts'

describe('Prompt', () => {
  it('has the terminal show nothing before it asks for a secret', async () => {
    const events: string[] = []
    const setRawMode = (isRaw: boolean) => void events.push(isRaw ? 'nothing is shown' : 'all is shown')
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
    const write = (text: string) => {
      events.push(text)
      if (text === 'Password: ') setImmediate(() => input.push('secret\r'))
    }
    const prompt = new Prompt({ input: input as unknown as ReadStream, output: { write } as unknown as WriteStream })
    expect(await prompt.askSecret('Password')).to.equal('secret')
    expect(events).to.eql(['nothing is shown', 'Password: ', 'all is shown', '\n'])
  })
})
