import { expect } from 'chai'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { waitFor } from '../../../../test/peers/wait-for.ts'
import { startCommand } from '../../../../test/support/command.ts'
import { MediaReceiver } from '../fixtures/media-receiver.ts'
import { invite } from '../fixtures/rig.ts'
import { headerIn, PASSWORD, PLATFORM_ID, TestPlatform } from '../fixtures/test-platform.ts'

const FIRST_ID = '34020000001110000001'
/** The first channel of the first device, as it makes one. */
const CHANNEL_ID = '34020000001310000101'

describe('sluice gb-device', () => {
  it('registers devices, sends media, tells of it, and unregisters at its end', async function () {
    requirePeer(this, 'ffmpeg')
    const platform = await TestPlatform.start({ algorithm: 'MD5', transport: 'tcp' })
    const server = `sip:${PLATFORM_ID}@127.0.0.1:${platform.port}`
    const options = ['--transport', 'tcp', '--id', FIRST_ID, '--count', '2', '--password-env', 'GB_PASSWORD']
    const command = startCommand(['gb-device', '--server', server, ...options], { env: { GB_PASSWORD: PASSWORD } })
    await waitFor(() => String(command.stdout).match(/ registered for 3600 s/gu)?.length === 2)
    const receiver = await MediaReceiver.passive()
    await invite(platform, receiver, { transport: 'passive', channelId: CHANNEL_ID, device: FIRST_ID })
    await waitFor(() => receiver.pictures.length > 5)
    command.signal('SIGTERM')
    await command.succeed()
    expect(String(command.stdout)).to.include(` sends ${CHANNEL_ID} Play\n`)
    expect(String(command.stdout))
      .to.match(/ unregistered\n/u)
      .and.not.include(PASSWORD)
    const ended = platform.requests('REGISTER').filter((message) => headerIn(message, 'Expires') === '0')
    expect(new Set(ended.map((message) => headerIn(message, 'To'))).size).to.equal(2)
  })

  it('says what is wrong with its options', async () => {
    const command = startCommand(['gb-device', '--server', 'nonsense'])
    expect((await command.exit).code).to.equal(2)
    expect(command.stderr).to.include('--server is sip:ID@HOST:PORT').and.include('--help')
  })
})
