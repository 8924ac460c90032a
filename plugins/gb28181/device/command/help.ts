import { QUIRKS } from '../quirks.ts'

const QUIRK_WIDTH = 26

/** The help of `sluice gb-device`. */
export const HELP = `Usage: sluice gb-device --server sip:ID@HOST:PORT [options]

Plays devices of GB/T 28181 (cameras, recorders), which register at a platform, answer its queries and send it media. It is written
from the standards alone, and shares no code with the server. A line is printed for each thing that happens; SIGINT or
SIGTERM unregisters and ends.

Who they are:
  --server URI            the platform: its id, host and port, as sip:34020000002000000001@192.168.1.2:5060
  --id ID                 20 digits; 34020000001110000001 by default
  --count N               so many devices, with ids that follow each other; 1 by default
  --share-socket          all devices use one socket of UDP
  --password-env NAME     the variable of the environment with the password
  --password TEXT         the password, which other users of the machine can read then
  --realm TEXT            the domain in URIs; by default the first 10 digits of the platform's id
  --channels N            the channels of each device; 1 by default
  --name TEXT             the name of the device

How they speak:
  --transport udp|tcp     by default udp
  --gb-version VERSION    1.0, 1.1, 2.0 (2016) or 3.0 (2022), for X-GB-ver; not stated by default
  --charset NAME          GB2312, GB18030 or UTF-8
  --expires SECONDS       the registration is asked for so long; 3600 by default
  --keepalive SECONDS     the time between keepalives; 60 by default
  --retry SECONDS         the time before it tries again to register; 60 by default
  --page-size N           the items in each message of a catalogue; 4 by default

What they send:
  --file FILE             media of a file, over and over: MPEG-TS or FLV as it is, all else by ffmpeg
  --test-picture          media that ffmpeg makes; the default
  --codec h264|h265       the codec of the pictures, by ffmpeg
  --audio CODEC           pcma, pcmu, aac, mp2 or none, by ffmpeg
  --recordings TIME       recordings up to now, as 30m or 1h, in files of 10 minutes
  --position LON,LAT      where they are, for who subscribes to it

What they do wrong:
  --quirk NAME,…          one or more of these:
${Object.entries(QUIRKS)
  .map(([name, what]) => `    ${name.padEnd(QUIRK_WIDTH)}${what}\n`)
  .join('')}
Example, of a camera that sends H.265 over TCP and ignores y=:
  sluice gb-device --server sip:34020000002000000001@127.0.0.1:5060 --password-env GB_PASSWORD --transport tcp \\
    --codec h265 --audio pcma --recordings 1h --quirk own-ssrc
`
