/** The text in the built page that is replaced by a nonce in each answer, for the styles that Mantine adds. */
export const STYLE_NONCE = 'NONCE_OF_THIS_ANSWER'
