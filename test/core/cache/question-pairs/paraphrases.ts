/** Pairs of questions that are worded differently but have the same answer, one pair per line. */
export const paraphrases = `
How do I reset my password? | How can I reset my password?
How do I reset my password? | What do I do to reset my password?
How can I cancel my subscription? | How do I cancel my subscription?
I want to cancel my subscription. | I would like to cancel my subscription.
What is the capital of France? | What's the capital of France?
What is the capital of France? | Tell me the capital of France.
what is the capital of france | What is the capital of France?
How tall is Mount Everest? | What is the height of Mount Everest?
Who wrote Pride and Prejudice? | Who is the author of Pride and Prejudice?
Can you explain how photosynthesis works? | Explain how photosynthesis works.
Please explain how photosynthesis works. | Could you explain how photosynthesis works?
Translate "good morning" into Spanish. | How do you say "good morning" in Spanish?
Translate "good morning" into Spanish. | Please translate "good morning" into Spanish.
How do I convert 5 km to miles? | How can I convert 5 kilometres to miles?
What is 20% of 350? | What's 20 percent of 350?
How much is 20 % of 350? | What is 20% of 350?
Summarise the plot of Hamlet in three sentences. | Summarize the plot of Hamlet in 3 sentences.
Give me three tips for better sleep. | Give me 3 tips for better sleep.
List five advantages of electric cars. | List 5 advantages of electric cars.
Where can I find my invoice? | Where do I find my invoice?
Where can I find my invoices? | Where can I find my invoice?
How do I change my email address? | How can I change my email address?
How do I change the email address of my account? | How can I change the email address on my account?
Why is the sky blue? | Why does the sky look blue?
Why is the sky blue? | Can you tell me why the sky is blue?
What does HTTP 404 mean? | What is the meaning of HTTP 404?
What does the error 404 mean? | What does error 404 mean?
How do I enable two-factor authentication? | How can I turn on two-factor authentication?
How do I turn off notifications? | How can I disable notifications?
How do I turn off notifications? | How do I switch off notifications?
How do I delete my account? | How can I delete my account?
I can't log in to my account. | I cannot log in to my account.
I can't log in to my account. | I am not able to log in to my account.
Why can't I log in? | Why am I unable to log in?
My order has not arrived. | My order hasn't arrived yet.
My order didn't arrive. | My order has not arrived.
What is the best time to visit Japan? | When is the best time to visit Japan?
What's the weather like in Paris in May? | How is the weather in Paris in May?
Flights from Paris to London | Find flights from Paris to London
Show me flights from Paris to London. | Please show me flights from Paris to London.
How long does it take to fly from Berlin to Madrid? | How long is the flight from Berlin to Madrid?
What is the difference between TCP and UDP? | What's the difference between TCP and UDP?
What is the difference between TCP and UDP? | Explain the difference between TCP and UDP.
How do I reverse a list in Python? | How can I reverse a list in Python?
How do I reverse a list in Python? | In Python, how do I reverse a list?
How do I use \`Array.map\` in JavaScript? | How can I use \`Array.map\` in JavaScript?
How does \`useEffect\` work in React? | Explain how \`useEffect\` works in React.
What does \`git rebase -i\` do? | Can you explain what \`git rebase -i\` does?
How do I undo the last commit in git? | How can I undo the last git commit?
How do I install Node.js on Ubuntu? | How can I install Node.js on Ubuntu?
Write a poem about the sea. | Write me a poem about the sea.
Write a short poem about the sea. | Please write a short poem about the sea.
Write a thank-you note to my teacher. | Write a thank you note to my teacher.
Who painted the Mona Lisa? | Who was the painter of the Mona Lisa?
When did World War II end? | When did World War 2 end?
When did the Second World War end? | In which year did the Second World War end?
How many planets are in the solar system? | How many planets are there in the solar system?
How many people live in Brazil? | What is the population of Brazil?
What is the population of Brazil? | What's Brazil's population?
How old is the universe? | What is the age of the universe?
What is the boiling point of water in Celsius? | What's the boiling point of water in °C?
At what temperature does water boil? | What is the boiling temperature of water?
How do I boil an egg? | How do you boil an egg?
How long should I boil an egg? | How long do I have to boil an egg?
What are the symptoms of the flu? | What are symptoms of flu?
What are the side effects of aspirin? | Which side effects does aspirin have?
Can I take ibuprofen with alcohol? | Is it safe to take ibuprofen with alcohol?
Is it safe to eat raw eggs? | Can I safely eat raw eggs?
How do I get a refund? | How can I get a refund?
How do I get a refund? | How can I get my money back?
Where is my order? | Can you tell me where my order is?
Where is my package? | Where's my package?
When will my order arrive? | When is my order going to arrive?
What are your opening hours? | What are the opening hours?
When do you open on Monday? | What time do you open on Monday?
Are you open on Sundays? | Are you open on Sunday?
Do you ship to Canada? | Do you deliver to Canada?
How much does shipping cost? | What does shipping cost?
How much does shipping to Germany cost? | What is the cost of shipping to Germany?
Which payment methods do you accept? | What payment methods do you accept?
Can I pay with PayPal? | Is it possible to pay with PayPal?
Can I pay by credit card? | Do you accept credit cards?
What is machine learning? | What's machine learning?
What is machine learning? | Explain machine learning.
What is a neural network? | What is a neural net?
Explain recursion to a beginner. | Explain recursion to beginners.
What is the time complexity of quicksort? | What's quicksort's time complexity?
How do I center a div in CSS? | How can I center a div in CSS?
How do I center a div with CSS? | How do you center a div using CSS?
How do I connect to a Postgres database from Node? | How can I connect to a Postgres database from Node?
How do I read a file line by line in Go? | How can I read a file line by line in Go?
What is the meaning of life? | What's the meaning of life?
Tell me a joke. | Tell me a joke, please.
Tell me a joke about cats. | Please tell me a joke about cats.
Recommend a good book. | Can you recommend a good book?
Recommend me a book about Roman history. | Can you recommend a book about Roman history?
How do I lose weight? | How can I lose weight?
How many calories are in an apple? | How many calories does an apple have?
How many calories does a banana have? | How many calories are there in a banana?
How do I tie a tie? | How do you tie a tie?
How do I remove a coffee stain from a carpet? | How can I remove a coffee stain from a carpet?
What is the fastest animal on land? | What's the fastest land animal?
What is the largest country in the world? | What is the world's largest country?
What is the longest river in Europe? | Which river is the longest in Europe?
Who is the president of the United States? | Who is the US president?
Who won the World Cup in 2018? | Who won the 2018 World Cup?
Who won the World Cup in 2014? | Which team won the World Cup in 2014?
What is the exchange rate of the euro to the dollar? | What's the exchange rate of the euro to the dollar?
How much is 100 dollars in euros? | How much is $100 in euros?
Convert 100 USD to EUR. | Please convert 100 USD to EUR.
Convert 1000 meters to feet. | Convert 1,000 meters to feet.
What is the square root of 144? | What's the square root of 144?
Calculate the square root of 144. | Compute the square root of 144.
What is 12 times 12? | What's 12 times 12?
How many minutes are in 3 hours? | How many minutes are there in three hours?
How many days are in a leap year? | How many days are there in a leap year?
How many days until Christmas? | How many days are left until Christmas?
Set an alarm for 7 am. | Set an alarm for 7am.
Remind me to call Anna tomorrow at 9. | Please remind me to call Anna tomorrow at 9.
Schedule a meeting with Bob on Friday at 3 pm. | Please schedule a meeting with Bob on Friday at 3 pm.
Send 50 euros from Anna to Ben. | Please send 50 euros from Anna to Ben.
Write an email to my landlord about a broken heater. | Write an e-mail to my landlord about a broken heater.
Draft an email to my boss asking for a raise. | Draft an email asking my boss for a raise.
What is the minimum wage in Germany? | What's the minimum wage in Germany?
How do I sort a list in ascending order in Python? | How can I sort a list in ascending order in Python?
How do I increase the font size in Word? | How can I increase the font size in Word?
How do I import a CSV file into Excel? | How can I import a CSV file into Excel?
How do I export my data? | How can I export my data?
How do I upload a photo? | How can I upload a photo?
How do I download my invoice as a PDF? | How can I download my invoice as a PDF?
How do I add a user to my team? | How can I add a user to my team?
How do I remove a user from my team? | How can I remove a user from my team?
How do I lock my screen? | How can I lock my screen?
What happens if I don't pay my bill? | What happens when I do not pay my bill?
Can I travel without a visa? | May I travel without a visa?
Recipes without nuts | Recipes that contain no nuts
Give me a dinner recipe without meat. | Give me a meatless dinner recipe.
Is it legal to park here? | Is parking here legal?
Is Python faster than Java? | Is Python faster than Java is?
Is the train cheaper than the plane? | Is the train cheaper than a plane?
Should I exercise before breakfast? | Should I work out before breakfast?
Should I take this medicine before meals? | Do I take this medicine before meals?
What should I do after a car accident? | What do I do after a car accident?
What's new in version 3.2 of the app? | What is new in version 3.2 of the app?
What changed in Python 3.12? | What has changed in Python 3.12?
How do I upgrade from version 2 to version 3? | How can I upgrade from version 2 to version 3?
What is the status of ticket ABC-1234? | What's the status of ticket ABC-1234?
Show me order #48213. | Please show me order #48213.
What does the MAX_RETRIES setting do? | What does the setting MAX_RETRIES do?
How do I set the environment variable NODE_ENV? | How can I set the environment variable NODE_ENV?
What is in the file config/app.yaml? | What's in the file config/app.yaml?
Which port does PostgreSQL use? | What port does PostgreSQL use?
What is the default port of Redis? | What's the default port of Redis?
Who is the CEO of Microsoft? | Who's the CEO of Microsoft?
When was Albert Einstein born? | When was Einstein born?
When was Albert Einstein born? | What year was Albert Einstein born?
Where was Marie Curie born? | In which city was Marie Curie born?
What language is spoken in Brazil? | Which language is spoken in Brazil?
What currency is used in Japan? | Which currency is used in Japan?
What is the currency of Japan? | What's the currency of Japan?
How far is the Moon from the Earth? | How far away is the Moon from Earth?
How far is it from Munich to Vienna? | What is the distance from Munich to Vienna?
Wie setze ich mein Passwort zurück? | Wie kann ich mein Passwort zurücksetzen?
Was kostet der Versand nach Österreich? | Wie viel kostet der Versand nach Österreich?
Comment réinitialiser mon mot de passe ? | Comment puis-je réinitialiser mon mot de passe ?
¿Cuál es la capital de España? | ¿Cuál es la capital de España, por favor?
¿Cómo puedo cancelar mi pedido? | ¿Cómo cancelo mi pedido?
Qual è la capitale d'Italia? | Qual è la capitale dell'Italia?
Translate the following text to French: I love you. | Translate the following text into French: I love you.
Fix the grammar: he go to school every day | Fix the grammar: He go to school every day.
Is this sentence correct? "He don't know." | Is this sentence right? "He don't know."
What are the pros and cons of remote work? | What are the advantages and disadvantages of remote work?
How do I make a budget? | How do I create a budget?
How do I start a business? | How can I start a business?
What is the best way to learn Spanish? | What's the best way to learn Spanish?
What is the best way to learn Spanish? | How do I best learn Spanish?
How can I improve my English? | How do I improve my English?
How do I write a cover letter? | How should I write a cover letter?
My laptop won't turn on. What should I do? | My laptop doesn't turn on. What can I do?
How do I make pancakes without eggs? | How can I make pancakes without eggs?
What is the refund policy? | What's your refund policy?
Is there parking near the hotel? | Is there any parking near the hotel?
How do I book a table for four people? | How can I book a table for 4 people?
Can you help me write a resume? | Help me write a resume.
How do I write a unit test in Rust? | How can I write a unit test in Rust?
What are the opening hours of the museum on Sunday? | When is the museum open on Sunday?
How do I merge two branches in git? | How can I merge 2 branches in git?
How do I merge two dictionaries in Python? | In Python, how can I merge two dictionaries?
What does NaN mean in JavaScript? | What is the meaning of NaN in JavaScript?
Which vitamins are good for the skin? | What vitamins are good for your skin?
How much water should I drink per day? | How much water should I drink every day?
How much water should I drink a day? | How much water do I need to drink a day?
What is the speed of light? | How fast is light?
What is the speed of light in km/s? | What's the speed of light in km/s?
Who discovered penicillin? | Who was the discoverer of penicillin?
What causes earthquakes? | What is the cause of earthquakes?
Why do cats purr? | Why does a cat purr?
Why do leaves change color in autumn? | Why do leaves change colour in the autumn?
How do I file my taxes online? | How can I file my taxes online?
What documents do I need for a passport? | Which documents do I need for a passport?
How do I apply for a visa to India? | How can I apply for a visa to India?
How long is a passport valid? | For how long is a passport valid?
What is the deadline for applications? | When is the application deadline?
Can I change the delivery address after I placed my order? | Can I change the delivery address after placing my order?
I was charged twice for order 5512. | I have been charged twice for order 5512.
I forgot my password. | I have forgotten my password.
I forgot my username. | I can't remember my username.
Why was my card declined? | Why has my card been declined?
Why is my internet so slow? | Why is my internet connection so slow?
What is the best laptop under 1000 dollars? | What's the best laptop under $1,000?
What are good restaurants in Rome? | Which restaurants in Rome are good?
Compare the iPhone 14 and the iPhone 15. | Please compare the iPhone 14 and the iPhone 15.
Write a SQL query that returns all users older than 30. | Write an SQL query to return all users older than 30.
Write a function that adds two numbers. | Write a function to add two numbers.
Explain the theory of relativity in simple words. | Explain the theory of relativity in simple terms.
What is inflation? | What does inflation mean?
Define inflation. | What is the definition of inflation?
What does GDP stand for? | What is GDP short for?
What's a synonym for happy? | Give me a synonym for happy.
Proofread the following text: I has a dog. | Please proofread the following text: I has a dog.
How do I say thank you in Japanese? | How do you say thank you in Japanese?
What time is it in Tokyo? | What's the time in Tokyo?
What is the time difference between London and New York? | What's the time difference between London and New York?
How do I get from the airport to the city? | How can I get from the airport to the city?
How do I get a driver's license? | How can I get a driving licence?
Is it going to rain tomorrow? | Will it rain tomorrow?
Do I need an umbrella today? | Will I need an umbrella today?
What is a healthy breakfast? | What's a healthy breakfast?
`
