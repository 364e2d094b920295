/** Pairs of questions that look similar but need different answers, one pair per line. */
export const nearMisses = `
How much is 100 dollars in euros? | How much is 1000 dollars in euros?
How much is 100 dollars in euros? | How much is 100 pounds in euros?
How much is 100 euros in dollars? | How much is 100 dollars in euros?
What is 20% of 350? | What is 25% of 350?
What is 20% of 350? | What is 20% of 530?
What is 12 times 12? | What is 12 times 13?
What is 12 plus 30? | What is 12 minus 30?
Subtract 5 from 10. | Subtract 10 from 5.
Convert 5 km to miles. | Convert 5 miles to km.
Convert 5 km to miles. | Convert 50 km to miles.
Convert 5 km to miles. | Convert 5 km to meters.
Convert 20 degrees Celsius to Fahrenheit. | Convert 20 degrees Fahrenheit to Celsius.
How many grams are in 2 ounces? | How many ounces are in 2 grams?
How many minutes are in 3 hours? | How many seconds are in 3 hours?
How many minutes are in 3 hours? | How many minutes are in 4 hours?
How many minutes are in three hours? | How many minutes are in thirteen hours?
Give me three tips for better sleep. | Give me five tips for better sleep.
Give me two examples of a metaphor. | Give me ten examples of a metaphor.
List 5 advantages of electric cars. | List 5 disadvantages of electric cars.
Summarise the text in 50 words. | Summarise the text in 500 words.
Write a 200 word essay about freedom. | Write a 2000 word essay about freedom.
What does HTTP 404 mean? | What does HTTP 403 mean?
What does error code 0x80070005 mean? | What does error code 0x80070057 mean?
Who won the World Cup in 2014? | Who won the World Cup in 2018?
Who was president in 1985? | Who was president in 1958?
What happened on 4 May 1990? | What happened on 5 May 1990?
What happened on May 4, 1990? | What happened on May 4, 1980?
What is the deadline on 2024-03-01? | What is the deadline on 2024-01-03?
Set an alarm for 7 am. | Set an alarm for 7 pm.
Set an alarm for 7:15. | Set an alarm for 7:50.
Schedule a meeting on Monday at 3 pm. | Schedule a meeting on Tuesday at 3 pm.
Remind me tomorrow at 9. | Remind me today at 9.
What's the weather like in June? | What's the weather like in July?
What's the weather like tomorrow? | What was the weather like yesterday?
When did World War I end? | When did World War II end?
When did the First World War end? | When did the Second World War end?
Who was Henry VIII? | Who was Henry VII?
What is new in version 3.2 of the app? | What is new in version 3.1 of the app?
What changed in Python 3.12? | What changed in Python 3.11?
How do I upgrade from version 2 to version 3? | How do I downgrade from version 3 to version 2?
What is the dosage of paracetamol for a child of 20 kg? | What is the dosage of paracetamol for a child of 30 kg?
Can I take 400 mg of ibuprofen? | Can I take 400 g of ibuprofen?
Is a fever of 38.5 dangerous? | Is a fever of 39.5 dangerous?
How do I cook a 2 kg turkey? | How do I cook a 2 lb turkey?
What is the population of a city with 1.5 million people called? | What is the population of a city with 1.5 billion people called?
How fast is 100 km/h? | How fast is 100 mph?
How long is a 5 hour drive? | How long is a 5 minute drive?
Is it safe to eat raw eggs? | Is it unsafe to eat raw eggs?
Is it safe to eat raw eggs? | Is it not safe to eat raw eggs?
Which foods contain gluten? | Which foods do not contain gluten?
Which foods contain gluten? | Which foods contain no gluten?
Recipes with nuts | Recipes without nuts
Give me a dinner recipe with meat. | Give me a dinner recipe without meat.
Can I travel with a visa? | Can I travel without a visa?
What happens if I pay my bill late? | What happens if I don't pay my bill?
What happens if I pay my bill? | What happens if I don't pay my bill?
Why can I log in? | Why can't I log in?
My order has arrived. | My order has not arrived.
Should I invest in stocks now? | Should I not invest in stocks now?
Which countries are in the EU? | Which countries are not in the EU?
Which planets have moons? | Which planets have no moons?
Which drugs are legal in Canada? | Which drugs are illegal in Canada?
Is it legal to park here? | Is it illegal to park here?
Which animals are able to fly? | Which animals are unable to fly?
Show me all users who have logged in. | Show me all users who have never logged in.
List the files that are tracked by git. | List the files that are not tracked by git.
Everyone came to the party. Who was there? | Nobody came to the party. Who was there?
Explain why this argument is valid. | Explain why this argument is invalid.
How do I enable notifications? | How do I disable notifications?
How do I turn on notifications? | How do I turn off notifications?
How do I enable two-factor authentication? | How do I disable two-factor authentication?
How do I add a user to my team? | How do I remove a user from my team?
How do I lock my screen? | How do I unlock my screen?
How do I install Docker? | How do I uninstall Docker?
How do I upload a photo? | How do I download a photo?
How do I import my data? | How do I export my data?
How do I encrypt a file? | How do I decrypt a file?
How do I mount a disk? | How do I unmount a disk?
How do I subscribe to the newsletter? | How do I unsubscribe from the newsletter?
How do I open a bank account? | How do I close a bank account?
How do I start the service? | How do I stop the service?
How do I increase the font size? | How do I decrease the font size?
How can I gain weight? | How can I lose weight?
How do I buy a house? | How do I sell a house?
How do I lend money to a friend? | How do I borrow money from a friend?
How do I sort a list in ascending order? | How do I sort a list in descending order?
What is the minimum wage in Germany? | What is the maximum wage in Germany?
What is the minimum of this function? | What is the maximum of this function?
What is the largest country in Europe? | What is the smallest country in Europe?
What is the highest mountain in Africa? | What is the lowest mountain in Africa?
What is the longest river in Europe? | What is the shortest river in Europe?
What is the fastest animal on land? | What is the slowest animal on land?
What is the best restaurant in town? | What is the worst restaurant in town?
What was the first song of the Beatles? | What was the last song of the Beatles?
Who lives at the north pole? | Who lives at the south pole?
Which states are in the east of the country? | Which states are in the west of the country?
Turn left at the lights. Where am I? | Turn right at the lights. Where am I?
Should I exercise before breakfast? | Should I exercise after breakfast?
Should I take this medicine before meals? | Should I take this medicine after meals?
What should I do before a car accident? | What should I do after a car accident?
Is it more expensive to live in Paris? | Is it less expensive to live in Paris?
Show orders above the limit. | Show orders below the limit.
Show orders over 100 euros. | Show orders under 100 euros.
Show transactions with more than 10 items. | Show transactions with fewer than 10 items.
Is the value greater than the limit? | Is the value less than the limit?
Do prices rise in winter? | Do prices fall in winter?
What are the advantages of remote work? | What are the disadvantages of remote work?
What are the pros of remote work? | What are the cons of remote work?
What are the causes of inflation? | What are the effects of inflation?
Why do people like winter? | Why do people dislike winter?
Is the door open? | Is the door closed?
How do I make the text visible? | How do I make the text invisible?
How do I make this repository public? | How do I make this repository private?
Is this input required? | Is this input optional?
How do I allow this address? | How do I block this address?
How do I accept an invitation? | How do I decline an invitation?
Which side won the war? | Which side lost the war?
Is the train cheaper than the plane? | Is the plane cheaper than the train?
Is Python faster than Java? | Is Java faster than Python?
Is Python faster than Java? | Is Python slower than Java?
Flights from Paris to London | Flights from London to Paris
flights from paris to london | flights from london to paris
How long is the flight from Berlin to Madrid? | How long is the flight from Madrid to Berlin?
How far is it from Munich to Vienna? | How far is it from Munich to Verona?
Send 50 euros from Anna to Ben. | Send 50 euros from Ben to Anna.
Anna owes Ben money. Who has to pay? | Ben owes Anna money. Who has to pay?
Is Alice taller than Bob? | Is Bob taller than Alice?
Did Rome conquer Greece? | Did Greece conquer Rome?
Does rain cause floods? | Do floods cause rain?
Translate this text from German to English. | Translate this text from English to German.
Convert JSON to YAML. | Convert YAML to JSON.
How do I convert a string to an integer in Java? | How do I convert an integer to a string in Java?
How do I migrate from MySQL to Postgres? | How do I migrate from Postgres to MySQL?
Can a dog catch a cold from a cat? | Can a cat catch a cold from a dog?
Do teachers earn more than nurses? | Do nurses earn more than teachers?
Who did Brutus kill? Caesar or Cassius? | Who did Cassius kill? Caesar or Brutus?
What is the capital of Austria? | What is the capital of Australia?
What is the capital of Niger? | What is the capital of Nigeria?
What's the weather like in Paris in May? | What's the weather like in London in May?
When was Albert Einstein born? | When was Albert Camus born?
Who is the CEO of Microsoft? | Who is the CEO of Google?
Remind me to call Anna tomorrow at 9. | Remind me to call Ben tomorrow at 9.
Write a letter to Mr. Miller about the rent. | Write a letter to Mr. Muller about the rent.
Do you ship to Canada? | Do you ship to Chile?
How do I reverse a list in Python? | How do I reverse a list in Java?
What is the currency of Japan? | What is the currency of Jordan?
Translate "good morning" into Spanish. | Translate "good evening" into Spanish.
Translate "good morning" into Spanish. | Translate "good morning" into Swedish.
What does the word "affect" mean? | What does the word "effect" mean?
What does 'sensible' mean? | What does 'sensitive' mean?
Is this sentence correct? "He don't know." | Is this sentence correct? "He doesn't know."
How do I use \`Array.map\` in JavaScript? | How do I use \`Array.filter\` in JavaScript?
How does \`useEffect\` work in React? | How does \`useState\` work in React?
What does \`git rebase -i\` do? | What does \`git rebase -x\` do?
What does \`x == y\` return? | What does \`x != y\` return?
What does a < b mean in this program? | What does a > b mean in this program?
What does the MAX_RETRIES setting do? | What does the MIN_RETRIES setting do?
How do I set the environment variable NODE_ENV? | How do I set the environment variable NODE_PATH?
What does the --force flag do? | What does the --dry-run flag do?
What is in the file config/app.yaml? | What is in the file config/api.yaml?
What does getUserById return? | What does getUserByName return?
What is the status of ticket ABC-1234? | What is the status of ticket ABC-1243?
Show me order #48213. | Show me order #48231.
Who owns the domain example.com? | Who owns the domain example.org?
Send the report to anna@example.com. | Send the report to hanna@example.com.
Is 10.0.0.1 a private address? | Is 10.0.0.11 a private address?
How do I pass a value by reference in C? | How do I pass a value by reference in C++?
What is the time complexity of O(n)? | What is the time complexity of O(n^2)?
Wie viel sind 100 Euro in Dollar? | Wie viel sind 1000 Euro in Dollar?
Wie schalte ich Benachrichtigungen ein? | Wie schalte ich Benachrichtigungen aus?
Darf ich hier parken? | Darf ich hier nicht parken?
Welche Lebensmittel enthalten Gluten? | Welche Lebensmittel enthalten kein Gluten?
Was kostet der Versand nach Österreich? | Was kostet der Versand nach Ungarn?
Flüge von Wien nach Rom | Flüge von Rom nach Wien
Puis-je voyager avec un visa ? | Puis-je voyager sans visa ?
Quels aliments contiennent du gluten ? | Quels aliments ne contiennent pas de gluten ?
Comment activer les notifications ? | Comment désactiver les notifications ?
¿Cómo activo las notificaciones? | ¿Cómo desactivo las notificaciones?
¿Puedo viajar con visado? | ¿Puedo viajar sin visado?
¿Cuánto son 20 euros en dólares? | ¿Cuánto son 200 euros en dólares?
Come posso attivare le notifiche? | Come posso disattivare le notifiche?
Como ativar as notificações? | Como desativar as notificações?
My laptop won't turn on. What should I do? | My laptop won't turn off. What should I do?
How do I make pancakes without eggs? | How do I make pancakes without milk?
How do I make pancakes without eggs? | How do I make pancakes with eggs?
How do I book a table for four people? | How do I book a table for five people?
How do I book a table for 4 people? | How do I book a table for 14 people?
How do I write a unit test in Rust? | How do I write a unit test in Ruby?
What are the opening hours of the museum on Sunday? | What are the opening hours of the museum on Saturday?
How do I merge two branches in git? | How do I merge three branches in git?
How do I merge two dictionaries in Python? | How do I merge two lists in Python?
What is a vitamin A deficiency? | What is a vitamin B deficiency?
How much water should I drink per day? | How much water should I drink per hour?
How much coffee should I drink per day? | How much water should I drink per day?
What is the speed of light? | What is the speed of sound?
What is the speed of light in km/s? | What is the speed of light in m/s?
Who discovered penicillin? | Who discovered insulin?
Why do cats purr? | Why do dogs bark?
What do cats eat? | What do dogs eat?
How do I apply for a visa to India? | How do I apply for a visa to Indonesia?
How do I apply for a visa to India? | How do I apply for a visa from India?
Can I change the delivery address after I placed my order? | Can I change the delivery address before I placed my order?
I was charged twice for order 5512. | I was charged twice for order 5521.
I was charged twice for order 5512. | I was charged once for order 5512.
I forgot my password. | I forgot my username.
Why was my card declined? | Why was my card accepted?
What is the best laptop under 1000 dollars? | What is the best laptop over 1000 dollars?
What is the best laptop under 1000 dollars? | What is the best laptop under 1500 dollars?
What are good restaurants in Rome? | What are bad restaurants in Rome?
Compare the iPhone 14 and the iPhone 15. | Compare the iPhone 13 and the iPhone 15.
Write a SQL query that returns all users older than 30. | Write a SQL query that returns all users younger than 30.
Write a SQL query that returns all users older than 30. | Write a SQL query that returns all users older than 40.
Write a function that adds two numbers. | Write a function that subtracts two numbers.
Write a function that returns the first element of a list. | Write a function that returns the last element of a list.
What is inflation? | What is deflation?
What does GDP stand for? | What does GNP stand for?
What's a synonym for happy? | What's an antonym for happy?
What's a synonym for happy? | What's a synonym for unhappy?
How do I say thank you in Japanese? | How do I say thank you in Javanese?
What time is it in Tokyo? | What time is it in Toronto?
Is it going to rain tomorrow? | Is it going to snow tomorrow?
Is it going to rain tomorrow? | Is it going to rain on Friday?
What is a healthy breakfast? | What is an unhealthy breakfast?
Are tomatoes a fruit? | Are potatoes a fruit?
Is aspirin safe during pregnancy? | Is ibuprofen safe during pregnancy?
Is aspirin safe for adults? | Is aspirin safe for children?
Can I give my dog paracetamol? | Can I give my cat paracetamol?
Which phone has the better camera? | Which phone has the better battery?
Did sales go up in 2023? | Did sales go down in 2023?
The patient has diabetes. What should he eat? | The patient does not have diabetes. What should he eat?
I am allergic to nuts. Can I eat this? | I am not allergic to nuts. Can I eat this?
Our tests pass. Can we deploy? | Our tests fail. Can we deploy?
Move the file from A to B. | Move the file from B to A.
The cat chased the dog. Who ran away? | The dog chased the cat. Who ran away?
John hired Mary. Who is the boss? | Mary hired John. Who is the boss?
Which is heavier, a kilo of lead or 2 kilos of feathers? | Which is heavier, 2 kilos of lead or a kilo of feathers?
What is the tallest building in Dubai? | What is the oldest building in Dubai?
How do I subtract dates in Excel? | How do I add dates in Excel?
How do I cancel my flight? | How do I cancel my hotel?
How do I cancel my flight? | How do I change my flight?
How do I cancel my subscription? | How do I renew my subscription?
`
