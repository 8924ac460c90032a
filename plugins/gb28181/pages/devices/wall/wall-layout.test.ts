import { expect } from 'chai'
import type { NamedChannel } from '../channel.ts'
import { changeWall, EMPTY_WALL, parseWall, serializeWall, type WallAction, type WallLayout } from './wall-layout.ts'

const [door, yard, gate, roof, hall] = ['door', 'yard', 'gate', 'roof', 'hall'].map((name): NamedChannel => {
  return { deviceId: 'nvr', channelId: name, name }
}) as [NamedChannel, NamedChannel, NamedChannel, NamedChannel, NamedChannel]

describe('the layout of the wall', () => {
  const after = (...actions: readonly WallAction[]) => actions.reduce(changeWall, EMPTY_WALL)
  const play = (channel: NamedChannel, cell?: number): WallAction => {
    return { kind: 'play', channel, ...(cell !== undefined && { cell }) }
  }
  const shown = ({ cells, size }: WallLayout) =>
    cells
      .slice(0, size)
      .map((channel) => channel?.name ?? '-')
      .join(' ')

  it('fills free cells, from the active one on, and the active one when there are none', () => {
    const two = after({ kind: 'activate', cell: 2 }, play(door), play(yard))
    expect([shown(two), two.active]).to.eql(['yard - door -', 0])
    const full = after(play(door), play(yard), play(gate), play(roof), { kind: 'activate', cell: 1 }, play(hall))
    expect([shown(full), full.active]).to.eql(['door hall gate roof', 1])
  })

  it('shows a channel once', () => {
    expect(shown(after(play(door), play(yard), play(door, 3)))).to.equal('- yard - door')
    expect(after(play(door), play(yard), play(door)).active).to.equal(0)
  })

  it('has the channels of a larger wall again after a smaller one', () => {
    const one = after(play(door), play(yard), { kind: 'size', size: 1 })
    expect([shown(one), one.active]).to.eql(['door', 0])
    expect(shown(changeWall(one, { kind: 'size', size: 9 }))).to.equal('door yard - - - - - - -')
  })

  it('closes cells, and has two of them change places', () => {
    const wall = after(play(door), play(yard), { kind: 'swap', from: 0, to: 3 })
    expect([shown(wall), wall.active]).to.eql(['- yard - door', 3])
    expect(shown(changeWall(wall, { kind: 'close', cell: 1 }))).to.equal('- - - door')
    expect(shown(changeWall(wall, { kind: 'closeAll' }))).to.equal('- - - -')
  })

  it('makes the cell of a chosen channel the active one, where it has one', () => {
    expect(after(play(door), play(yard), { kind: 'choose', channel: door }).active).to.equal(0)
    expect(after(play(door), play(yard), { kind: 'choose', channel: gate }).active).to.equal(1)
  })

  it('is read as it was stored, and is empty for anything else', () => {
    const wall = after({ kind: 'size', size: 9 }, play(door), play(yard))
    expect(shown(parseWall(serializeWall(wall)))).to.equal(shown(wall))
    const broken = ['', 'no', '{}', '{"size":5,"cells":[]}', '{"size":4,"cells":7}', null]
    for (const text of broken) expect(parseWall(text)).to.equal(EMPTY_WALL)
    const foreign = '{"size":1,"cells":[{"deviceId":"../a","channelId":"b","name":"c"}]}'
    expect(shown(parseWall(foreign))).to.equal('-')
  })
})
