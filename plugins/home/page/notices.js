/**
 * The words for a state of the player: a title, and a text that says what to expect; nothing while it plays.
 * @param isPublished whether the list of streams has it; undefined where nobody has told
 * @param detail what the player says of its state
 */
export function noticeOf(state, { name, detail, isPublished }) {
  switch (state) {
    case 'connecting':
      return [`Connecting to ${name} …`]
    case 'waiting':
      return waitingNotice(name, isPublished)
    case 'stalled':
      return [`Waiting for ${name} to go on …`]
    case 'ended':
      return [`${name} has ended`, 'It plays again by itself when it comes back.']
    case 'offline':
      return [
        detail ? `The server can’t play ${name} now (${detail})` : 'The server does not answer',
        'It is asked again …',
      ]
    case 'denied':
      return [
        `${name} is refused (${detail})`,
        'Where the server asks for a key, it is missing, wrong or expired: put the query of your play address behind the ' +
          `stream’s name below, as in ${name}?secret=…&expire=…`,
      ]
    case 'unsupported':
      return [`This browser can’t play ${name} (${detail})`, 'A player can, by one of the addresses below.']
    default:
      return []
  }
}

/** That no picture comes tells nothing of the reason: only the list knows whether somebody publishes the stream. */
function waitingNotice(name, isPublished) {
  const title = `Waiting for ${name}`
  if (isPublished === false) return [title, 'Nobody publishes it yet. It plays by itself when somebody does.']
  if (isPublished === undefined) return [title, 'No picture has come yet. It plays by itself when one does.']
  return [
    `Waiting for a picture of ${name}`,
    'It is published, and no picture has come here yet. One that does not come at all may be in a form that this browser ' +
      'can’t play: try one of the addresses below.',
  ]
}
