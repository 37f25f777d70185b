import t from 'tap';
import { similarText } from '../../src/store/accounts/members.ts';
import { emailFault, idFault, idRefusal, linkCommand } from '../../studio/src/users/typed.ts';

t.test('a blank in an identifier and an address that is none are said while typing', async (t) => {
  t.equal(idFault('som chai'), 'users.id_blank');
  t.equal(idFault(' somchai '), null, 'blanks at the ends are not sent');
  t.equal(emailFault('x'), 'users.email_wrong');
  t.equal(emailFault('@bank.example'), 'users.email_wrong');
  t.equal(emailFault('somchai@bank.example'), null);
  t.equal(emailFault(''), null);
});

t.test('a refused identifier is known by the message of the service', async (t) => {
  t.strictSame(idRefusal('This user exists already.'), { similar: null });
  t.strictSame(idRefusal(similarText('som chai')), { similar: 'som chai' });
  t.equal(idRefusal('name must have a visible character.'), null);
});

t.test('a copied command holds the identifier as one word', async (t) => {
  t.equal(linkCommand('som.chai@bank.example'), './intaglio sessions link som.chai@bank.example');
  t.equal(linkCommand('a; rm x'), "./intaglio sessions link 'a; rm x'");
  t.equal(linkCommand("o'hara"), "./intaglio sessions link 'o'\\''hara'");
  t.equal(linkCommand('--help'), "./intaglio sessions link '--help'");
});
