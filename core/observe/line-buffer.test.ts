import { expect } from 'chai'
import { LineBuffer } from './line-buffer.ts'

describe('LineBuffer', () => {
  it('has its lines in order, and the newest of them where there are too many', () => {
    const buffer = new LineBuffer({ maxLines: 3, maxLength: 1000 })
    for (const line of ['1', '2', '3', '4', '5']) buffer.push(line)
    expect([...buffer.newestFirst()]).to.eql(['5', '4', '3'])
    expect(buffer.takeDropped()).to.equal(2)
    expect([buffer.shift(), buffer.shift(), buffer.shift(), buffer.shift()]).to.eql(['3', '4', '5', undefined])
    expect(buffer.takeDropped()).to.equal(0)
  })

  it('holds no more characters than it may, even of one line', () => {
    const buffer = new LineBuffer({ maxLines: 100, maxLength: 10 })
    for (const line of ['1234', '5678', '9']) buffer.push(line)
    buffer.push('0123')
    expect([...buffer.newestFirst()]).to.eql(['0123', '9', '5678'])
    buffer.push('x'.repeat(11))
    expect([...buffer.newestFirst()]).to.eql([])
    expect(buffer.takeDropped()).to.equal(5)
    buffer.push('on')
    expect(buffer.shift()).to.equal('on')
  })

  it('stays as it is however many lines went through it', () => {
    const buffer = new LineBuffer({ maxLines: 2, maxLength: 1000 })
    for (let number = 0; number < 5000; number++) buffer.push(String(number))
    expect([...buffer.newestFirst()]).to.eql(['4999', '4998'])
    expect(buffer.takeDropped()).to.equal(4998)
  })
})
