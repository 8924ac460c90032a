/** A server that clients may use to find a way through their network. */
type IceServer = { readonly urls: readonly string[]; readonly username: string; readonly credential: string }

/** What a header can hold, as all passwords of TURN servers can be expected to. */
const PRINTABLE = /^[ -~]*$/u

/**
 * The values of `Link` that tell clients of STUN and TURN servers (RFC 9725 4.6).
 * @param isAdmitted servers that ask for a password are only for clients that the gates have let in
 */
export function iceServerLinks(servers: readonly IceServer[], isAdmitted: boolean): string[] {
  return servers.flatMap(({ urls, username, credential }) => {
    if (credential !== '' && (!isAdmitted || !PRINTABLE.test(credential))) return []
    const login = `; username=${quoted(username)}; credential=${quoted(credential)}; credential-type="password"`
    return urls.map((url) => `<${url}>; rel="ice-server"${credential === '' ? '' : login}`)
  })
}

/** RFC 9110 5.6.4. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/gu, String.raw`\$&`)}"`
}
