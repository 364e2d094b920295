/** Mail: the occasions of the management contract, section 21, and invites. Other rooms import this file alone. */
export { inviteMail } from './invite.ts'
export { createMailListener } from './listener.ts'
export { createMailSender } from './sender.ts'
