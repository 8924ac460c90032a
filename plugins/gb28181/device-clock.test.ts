import { expect } from 'chai'
import { clockOfZone } from './device-clock.ts'
import { parseGbTime, serializeGbTime } from './manscdp/times.ts'

describe('the clock of devices', () => {
  it('is that of China by its name, without summer time', () => {
    const clock = clockOfZone('Asia/Shanghai')
    expect(serializeGbTime(Date.UTC(2026, 6, 1, 12), clock)).to.equal('2026-07-01T20:00:00')
    expect(parseGbTime('2026-12-01T08:00:00', clock)).to.equal(Date.UTC(2026, 11, 1))
  })

  it('knows summer time, to the hour of its change', () => {
    const clock = clockOfZone('Europe/Berlin')
    expect(serializeGbTime(Date.UTC(2026, 2, 29, 0, 59, 59), clock)).to.equal('2026-03-29T01:59:59')
    expect(serializeGbTime(Date.UTC(2026, 2, 29, 1), clock)).to.equal('2026-03-29T03:00:00')
    expect(parseGbTime('2026-07-01T02:00:00', clock)).to.equal(Date.UTC(2026, 6, 1))
  })

  it('knows zones of half an hour, and that of the server', () => {
    expect(serializeGbTime(0, clockOfZone('Asia/Kolkata'))).to.equal('1970-01-01T05:30:00')
    const [local] = [new Date(2026, 0, 2, 3, 4, 5)]
    expect(serializeGbTime(local.getTime(), clockOfZone(''))).to.equal('2026-01-02T03:04:05')
  })

  it('is refused for a zone that there is not', () => {
    expect(() => clockOfZone('Asia/Nowhere')).to.throw(RangeError)
  })
})
